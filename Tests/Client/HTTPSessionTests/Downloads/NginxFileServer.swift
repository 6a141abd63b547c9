import ErrandSupport
import Foundation

/// nginx with the files of a folder, on a free port of 127.0.0.1, without TLS.
///
/// A response stops after 300 KiB, as if the connection had become very slow.
struct NginxFileServer {
    private static let program = "/usr/sbin/nginx"

    /// True if the program is installed.
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    /// The address to put in a URL.
    let origin: String
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// Starts a server.
    ///
    /// It cannot choose a port by itself. A free one is selected here; if another program takes it before nginx does,
    /// others are tried.
    static func start(files: TemporaryFolder, isSlow: Bool = true) async throws -> NginxFileServer {
        for _ in 0..<4 {
            do {
                return try await start(on: freePort(), files: files, isSlow: isSlow)
            } catch is ChildProcess.Ended {
                continue
            }
        }
        return try await start(on: freePort(), files: files, isSlow: isSlow)
    }

    private static func freePort() async throws -> UInt16 {
        let listener = try ScriptedServer { (_: ScriptedConnection) in }
        listener.stop()
        _ = await listener.closed.first(1)
        return listener.port
    }

    private static func start(
        on port: UInt16, files: TemporaryFolder, isSlow: Bool
    ) async throws -> NginxFileServer {
        let folder = try TemporaryFolder()
        let path = folder.path
        let configuration = try folder.write(
            """
            daemon off;
            master_process off;
            worker_processes 1;
            user root;
            pid \(path)/pid;
            error_log stderr notice;
            events { worker_connections 64; }
            http {
                access_log off;
                keepalive_timeout 600;
                send_timeout 600;
                client_body_temp_path \(path)/1; proxy_temp_path \(path)/2; fastcgi_temp_path \(path)/3;
                uwsgi_temp_path \(path)/4; scgi_temp_path \(path)/5;
                server {
                    listen 127.0.0.1:\(port);
                    root \(files.path);
                    \(isSlow ? "limit_rate_after 300k; limit_rate 1;" : "")
                }
            }
            """, to: "nginx.conf")
        let process = try ChildProcess(program, ["-c", configuration])
        _ = try await process.logLine(containing: "using the \"epoll\" event method")
        return NginxFileServer(origin: "http://127.0.0.1:\(port)", folder: folder, process: process)
    }

    /// Ends the server.
    func stop() {
        process.kill(9)
        folder.remove()
    }
}
