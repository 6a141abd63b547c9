import Glibc
import Support
import Transfer

/// nginx on a free port of 127.0.0.1: a server that speaks HTTP/2 without TLS to who knows that it does.
///
/// `/` answers at once with `hello`, `/slow` with 16 bytes a second for a long time.
struct NginxServer {
    private static let program = "/usr/sbin/nginx"

    /// Whether the program is there.
    static let isInstalled = access(program, X_OK) == 0

    let port: UInt16
    private let folder: ScratchFolder
    private let process: WatchedProcess

    /// Starts a server.
    ///
    /// It cannot choose a port by itself: one is found that is free, and where somebody else takes it in the moment
    /// until nginx does, another one.
    static func start() async throws -> NginxServer {
        for _ in 0..<4 {
            do {
                return try await start(on: freePort())
            } catch is WatchedProcess.NotReady {
                continue
            }
        }
        return try await start(on: freePort())
    }

    private static func freePort() async throws -> UInt16 {
        let listener = try ScriptedServer { _ in }
        listener.stop()
        _ = await listener.closed.first(1)
        return listener.port
    }

    private static func start(on port: UInt16) async throws -> NginxServer {
        let folder = try ScratchFolder()
        let path = folder.path
        try folder.write(String(repeating: "0123456789abcdef", count: 4_096), to: "slow")
        let configuration = try folder.write(
            """
            daemon off;
            worker_processes 1;
            user root;
            pid \(path)/pid;
            error_log stderr notice;
            events { worker_connections 256; }
            http {
                access_log off;
                client_body_temp_path \(path)/1; proxy_temp_path \(path)/2; fastcgi_temp_path \(path)/3;
                uwsgi_temp_path \(path)/4; scgi_temp_path \(path)/5;
                server {
                    listen 127.0.0.1:\(port) http2;
                    location / { return 200 'hello'; }
                    location /slow { root \(path); limit_rate 16; }
                }
            }
            """, to: "nginx.conf")
        let (process, _) = try await WatchedProcess.start(
            program, ["-c", configuration], until: "start worker processes")
        return NginxServer(port: port, folder: folder, process: process)
    }

    func request(_ path: String, timeouts: TransferTimeouts = TransferTimeouts()) throws -> TransferRequest {
        TransferRequest(url: try HTTPURL("http://127.0.0.1:\(port)\(path)"), timeouts: timeouts)
    }

    func stop() {
        process.stop()
        folder.remove()
    }
}
