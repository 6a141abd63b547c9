import Foundation
import Support
import Transfer

/// nginx on a free port of 127.0.0.1: a server that speaks HTTP/2 without TLS to who knows that it does.
///
/// `/` answers at once with `hello`, `/slow` with 16 bytes a second for a long time.
struct NginxServer {
    /// Why there is none.
    struct Failure: Error {
        var reason: String
    }

    private static let program = "/usr/sbin/nginx"

    /// Whether the program is there.
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    let port: UInt16
    private let folder: URL

    /// Starts a server. Somebody else may take the port that was free a moment ago: then another is tried.
    static func start() async throws -> NginxServer {
        for _ in 0..<5 {
            let listener = try ScriptedServer { _ in }
            listener.stop()
            _ = await listener.closed.first(1)
            if let server = try await start(on: listener.port) { return server }
        }
        throw Failure(reason: "nginx does not start")
    }

    private static func start(on port: UInt16) async throws -> NginxServer? {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try String(repeating: "0123456789abcdef", count: 4_096)
            .write(to: folder.appendingPathComponent("slow"), atomically: true, encoding: .utf8)
        let path = folder.path
        let configuration = """
            worker_processes 1;
            user root;
            pid \(path)/pid;
            error_log \(path)/error.log;
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
            """
        let file = folder.appendingPathComponent("nginx.conf")
        try configuration.write(to: file, atomically: true, encoding: .utf8)
        let ended = Signal<Int32>()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["-c", file.path]
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // It goes into the background as soon as it listens.
        process.terminationHandler = { ended.send($0.terminationStatus) }
        try process.run()
        return await ended.wait() == 0 ? NginxServer(port: port, folder: folder) : nil
    }

    func request(_ path: String, timeouts: TransferTimeouts = TransferTimeouts()) throws -> TransferRequest {
        TransferRequest(url: try HTTPURL("http://127.0.0.1:\(port)\(path)"), timeouts: timeouts)
    }

    func stop() {
        let text = try? String(contentsOf: folder.appendingPathComponent("pid"), encoding: .utf8)
        if let text, let process = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) {
            kill(process, SIGTERM)
        }
        // In nobody's way if it stays.
        _ = try? FileManager.default.removeItem(at: folder)
    }
}
