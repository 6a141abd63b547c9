import ErrandSupport
import Foundation

/// nginx with a certificate, in front of an upstream that speaks plain HTTP: each request that the upstream receives
/// was sent after the client accepted the certificate.
final class TLSFront: Sendable {
    private static let program = "/usr/sbin/nginx"

    /// True if the program is installed.
    static let isInstalled = access(program, X_OK) == 0 && CertificateFactory.isInstalled

    /// The address to put in a URL.
    let origin: String
    private let process: ChildProcess

    /// Starts it on a free port.
    ///
    /// nginx cannot choose one by itself: if another process takes the port in the meantime, another port is tried.
    ///
    /// - Parameters:
    ///   - upstream: The upstream of its requests.
    ///   - identity: The certificate and key.
    ///   - folder: The folder for its files.
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
            """
            daemon off;
            master_process off;
            user root;
            pid \(path)/pid;
            error_log stderr notice;
            events { worker_connections 64; }
            http {
                access_log off;
                # A task may be held for as long as its test takes.
                proxy_read_timeout 1d; proxy_send_timeout 1d;
                client_header_timeout 1d; client_body_timeout 1d; send_timeout 1d; keepalive_timeout 1d;
                client_body_temp_path \(path)/1; proxy_temp_path \(path)/2; fastcgi_temp_path \(path)/3;
                uwsgi_temp_path \(path)/4; scgi_temp_path \(path)/5;
                server {
                    listen 127.0.0.1:\(listener.port) ssl;
                    ssl_certificate \(identity.certificateFile);
                    ssl_certificate_key \(identity.keyFile);
                    location / { proxy_pass \(upstream.origin); proxy_buffering off; }
                }
            }
            """, to: "nginx.conf")
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
