import ErrandSupport
import ErrandTransfer
import Glibc

/// nginx on two free ports of 127.0.0.1: one with HTTP/2 over TLS, one with HTTP/2 without TLS (prior knowledge).
///
/// `/` responds immediately with `hello`, `/slow` with 1,000 bytes a second for 17 minutes, `/once` with `r` if a TLS
/// session was resumed and `.` otherwise, and closes the connection, `/limited` with 413 if the request's content is
/// longer than 1,024 bytes, without reading it, `/large` with a mebibyte. All responses contain nginx's number of the
/// connection in `X-Connection`.
struct NginxServer {
    private static let program = "/usr/sbin/nginx"

    /// A Boolean value that indicates whether the program is installed.
    static let isInstalled = access(program, X_OK) == 0 && OpenSSLServer.isInstalled

    /// The port with TLS.
    let securePort: UInt16
    /// The port without TLS.
    let cleartextPort: UInt16
    /// The certificates with the server's: `good`.
    let certificates: TestCertificates
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// Starts a server.
    ///
    /// It cannot choose ports by itself. Free ports are selected here; if another program takes one before nginx does,
    /// others are tried.
    ///
    /// - Parameters:
    ///   - maxStreams: The number of streams that it allows on a connection; nginx's own default is 128.
    ///   - version: The only TLS version that it supports.
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
        let folder = try TemporaryFolder()
        let certificates = try await TestCertificates.shared
        let path = folder.path
        try folder.write(String(repeating: "0123456789abcdef", count: 65_536), to: "slow")
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
                keepalive_timeout 600;
                client_header_timeout 600;
                client_body_timeout 600;
                send_timeout 600;
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
                    location /limited { client_max_body_size 1k; return 200 'hello'; }
                    location /large { alias \(path)/slow; }
                    location /slow { root \(path); limit_rate 1000; }
                }
            }
            """, to: "nginx.conf")
        let process = try ChildProcess(program, ["-c", configuration])
        _ = try await process.logLine(containing: "using the \"epoll\" event method")
        return NginxServer(
            securePort: secure, cleartextPort: cleartext, certificates: certificates, folder: folder, process: process)
    }

    /// Returns options for HTTP/2 with this server.
    var options: ConnectionOptions {
        get throws { ConnectionOptions(version: .http2, tls: try certificates.tls()) }
    }

    func request(_ path: String, timeouts: TransferTimeouts = .patient) throws -> TransferRequest {
        TransferRequest(url: try HTTPURL("https://127.0.0.1:\(securePort)\(path)"), timeouts: timeouts)
    }

    func cleartextRequest(_ path: String) throws -> TransferRequest {
        TransferRequest(url: try HTTPURL("http://127.0.0.1:\(cleartextPort)\(path)"), timeouts: .patient)
    }

    func stop() {
        process.kill(SIGKILL)
        folder.remove()
    }
}
