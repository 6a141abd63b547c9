import Foundation
import Support

/// nginx with a certificate, before an upstream that speaks plain HTTP: what the upstream sees, a client has sent after
/// it was content with the certificate.
final class TLSFront: Sendable {
    private static let program = "/usr/sbin/nginx"

    /// Whether the program is there.
    static let isInstalled = access(program, X_OK) == 0 && CertificateFactory.isInstalled

    /// The address to put in a URL.
    let origin: String
    private let process: ChildProcess

    /// Starts it on a port that is free.
    ///
    /// nginx cannot choose one by itself: where somebody else takes it in the moment until nginx does, another is tried.
    ///
    /// - Parameters:
    ///   - upstream: Where it sends what it gets.
    ///   - identity: Its certificate and key.
    ///   - folder: For its files.
    static func start(
        before upstream: ScriptedServer, _ identity: CertificateFactory.Identity, in folder: TemporaryFolder
    ) async throws -> TLSFront {
        for _ in 0..<4 {
            do {
                return try await TLSFront(before: upstream, identity, in: folder)
            } catch is ChildProcess.Ended {
                continue
            }
        }
        return try await TLSFront(before: upstream, identity, in: folder)
    }

    private init(
        before upstream: ScriptedServer, _ identity: CertificateFactory.Identity, in folder: TemporaryFolder
    ) async throws {
        let listener = try ScriptedServer { _ in }
        listener.stop()
        _ = await listener.closed.first(1)
        let path = folder.path
        let configuration = try folder.write(
            "nginx.conf",
            """
            daemon off;
            master_process off;
            user root;
            pid \(path)/pid;
            error_log stderr notice;
            events { worker_connections 64; }
            http {
                access_log off;
                client_body_temp_path \(path)/1; proxy_temp_path \(path)/2; fastcgi_temp_path \(path)/3;
                uwsgi_temp_path \(path)/4; scgi_temp_path \(path)/5;
                server {
                    listen 127.0.0.1:\(listener.port) ssl;
                    ssl_certificate \(identity.certificateFile);
                    ssl_certificate_key \(identity.keyFile);
                    location / { proxy_pass \(upstream.origin); proxy_buffering off; }
                }
            }
            """)
        process = try ChildProcess(Self.program, ["-c", configuration])
        _ = try await process.errors.line(containing: "using the \"epoll\" event method")
        origin = "https://127.0.0.1:\(listener.port)"
    }

    /// Stops it.
    func stop() async {
        process.kill(SIGTERM)
        _ = await process.exit()
    }
}
