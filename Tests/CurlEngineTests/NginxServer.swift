import Glibc
import Support
import Transfer

/// nginx on two free ports of 127.0.0.1: a server that speaks HTTP/2 over TLS, and without it to who knows that it does.
///
/// `/` answers at once with `hello`, `/slow` with 1,000 bytes a second for a long time, `/once` with `r` where a TLS session
/// was resumed and `.` where none was, and closes the connection; all say in `X-Connection` the number that nginx has
/// given to the connection.
struct NginxServer {
    private static let program = "/usr/sbin/nginx"

    /// Whether the program is there.
    static let isInstalled = access(program, X_OK) == 0 && OpenSSLServer.isInstalled

    /// Where it speaks TLS.
    let securePort: UInt16
    /// Where it does not.
    let cleartextPort: UInt16
    /// Those that it has its own from: `good`.
    let certificates: TestCertificates
    private let folder: ScratchFolder
    private let process: ChildProcess

    /// Starts a server.
    ///
    /// It cannot choose ports by itself: some are found that are free, and where somebody else takes one in the moment
    /// until nginx does, others.
    ///
    /// - Parameters:
    ///   - maxStreams: How many streams it allows on a connection; nginx's own default is 128.
    ///   - version: The one version of TLS that it speaks.
    static func start(maxStreams: Int = 128, tls version: TLSVersion = .tls13) async throws -> NginxServer {
        for _ in 0..<4 {
            do {
                return try await start(on: freePort(), freePort(), maxStreams: maxStreams, version)
            } catch is ChildProcess.Ended {
                continue
            }
        }
        return try await start(on: freePort(), freePort(), maxStreams: maxStreams, version)
    }

    private static func freePort() async throws -> UInt16 {
        let listener = try ScriptedServer { _ in }
        listener.stop()
        _ = await listener.closed.first(1)
        return listener.port
    }

    private static func start(
        on secure: UInt16, _ cleartext: UInt16, maxStreams: Int, _ version: TLSVersion
    ) async throws -> NginxServer {
        let folder = try ScratchFolder()
        let certificates = try await TestCertificates.shared
        let path = folder.path
        try folder.write(String(repeating: "0123456789abcdef", count: 4_096), to: "slow")
        let configuration = try folder.write(
            """
            daemon off;
            master_process off;
            worker_processes 1;
            user root;
            pid \(path)/pid;
            error_log stderr notice;
            events { worker_connections 256; }
            http {
                access_log off;
                http2_max_concurrent_streams \(maxStreams);
                add_header X-Connection $connection;
                client_body_temp_path \(path)/1; proxy_temp_path \(path)/2; fastcgi_temp_path \(path)/3;
                uwsgi_temp_path \(path)/4; scgi_temp_path \(path)/5;
                server {
                    listen 127.0.0.1:\(secure) ssl http2;
                    listen 127.0.0.1:\(cleartext) http2;
                    ssl_certificate \(certificates.file("good"));
                    ssl_certificate_key \(certificates.key("good"));
                    ssl_protocols TLSv\(version.rawValue);
                    ssl_session_cache shared:sessions:1m;
                    location / { return 200 'hello'; }
                    location /once { keepalive_timeout 0; return 200 '$ssl_session_reused'; }
                    location /slow { root \(path); limit_rate 1000; }
                }
            }
            """, to: "nginx.conf")
        let process = try ChildProcess(program, ["-c", configuration])
        _ = try await process.logLine(containing: "using the \"epoll\" event method")
        return NginxServer(
            securePort: secure, cleartextPort: cleartext, certificates: certificates, folder: folder, process: process)
    }

    /// Options to speak HTTP/2 with it.
    var options: ConnectionOptions {
        get throws { ConnectionOptions(version: .http2, tls: try certificates.tls()) }
    }

    func request(_ path: String, timeouts: TransferTimeouts = TransferTimeouts()) throws -> TransferRequest {
        TransferRequest(url: try HTTPURL("https://127.0.0.1:\(securePort)\(path)"), timeouts: timeouts)
    }

    func cleartextRequest(_ path: String) throws -> TransferRequest {
        TransferRequest(url: try HTTPURL("http://127.0.0.1:\(cleartextPort)\(path)"))
    }

    func stop() {
        process.kill(SIGKILL)
        folder.remove()
    }
}
