import Glibc
import Support
import Transfer

/// nginx on two free ports of 127.0.0.1: a server that speaks HTTP/2 over TLS, and without it to who knows that it does.
///
/// `/` answers at once with `hello`, `/slow` with 1,000 bytes a second for a long time; both say in `X-Connection` the
/// number that nginx has given to the connection.
struct NginxServer {
    private static let program = "/usr/sbin/nginx"

    /// Whether the program is there.
    static let isInstalled = access(program, X_OK) == 0 && OpenSSLServer.isInstalled

    /// Where it speaks TLS.
    let securePort: UInt16
    /// Where it does not.
    let cleartextPort: UInt16
    /// The file with its certificate, which is its own authority.
    let certificate: String
    private let folder: ScratchFolder
    private let process: WatchedProcess

    /// Starts a server.
    ///
    /// It cannot choose ports by itself: some are found that are free, and where somebody else takes one in the moment
    /// until nginx does, others.
    ///
    /// - Parameter maxStreams: How many streams it allows on a connection; nginx's own default is 128.
    static func start(maxStreams: Int = 128) async throws -> NginxServer {
        for _ in 0..<4 {
            do {
                return try await start(on: freePort(), freePort(), maxStreams: maxStreams)
            } catch is WatchedProcess.NotReady {
                continue
            }
        }
        return try await start(on: freePort(), freePort(), maxStreams: maxStreams)
    }

    private static func freePort() async throws -> UInt16 {
        let listener = try ScriptedServer { _ in }
        listener.stop()
        _ = await listener.closed.first(1)
        return listener.port
    }

    private static func start(
        on secure: UInt16, _ cleartext: UInt16, maxStreams: Int
    ) async throws -> NginxServer {
        let folder = try ScratchFolder()
        let certificate = try await OpenSSLServer.makeCertificate(in: folder)
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
                    ssl_certificate \(certificate.file);
                    ssl_certificate_key \(certificate.key);
                    location / { return 200 'hello'; }
                    location /slow { root \(path); limit_rate 1000; }
                }
            }
            """, to: "nginx.conf")
        let (process, _) = try await WatchedProcess.start(
            program, ["-c", configuration], until: "using the \"epoll\" event method")
        return NginxServer(
            securePort: secure, cleartextPort: cleartext, certificate: certificate.file, folder: folder,
            process: process)
    }

    /// Options to speak HTTP/2 with it.
    var options: ConnectionOptions {
        ConnectionOptions(version: .http2, tls: TLSOptions(caFile: certificate))
    }

    func request(_ path: String, timeouts: TransferTimeouts = TransferTimeouts()) throws -> TransferRequest {
        TransferRequest(url: try HTTPURL("https://127.0.0.1:\(securePort)\(path)"), timeouts: timeouts)
    }

    func cleartextRequest(_ path: String) throws -> TransferRequest {
        TransferRequest(url: try HTTPURL("http://127.0.0.1:\(cleartextPort)\(path)"))
    }

    func stop() {
        process.stop()
        folder.remove()
    }
}
