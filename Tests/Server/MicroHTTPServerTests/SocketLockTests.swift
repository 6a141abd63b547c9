import ErrandHTTPServer
import ErrandLogs
import ErrandSupport
import Foundation
import MicroHTTPServer
import Testing

@Suite("The lock of a Unix socket's path", .timeLimit(.hang))
struct SocketLockTests {
    private func server(at path: String) throws -> MicroHTTPServer {
        MicroHTTPServer(
            configuration: ServerConfiguration(listeners: [.unix(path: path, mode: 0o600)]),
            handler: try Router(routes: []), logger: .discarding)
    }

    private func names(in folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }

    @Test("A socket can be in a folder that is locked for another purpose, and its lock leaves nothing behind")
    func lockedFolder() async throws {
        let folder = try TemporaryFolder()
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY)
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        let server = try server(at: folder["a.sock"])
        try await server.start()
        #expect(try names(in: folder) == ["a.sock"])
        await server.shutdown(drain: .seconds(1))
        #expect(try names(in: folder).isEmpty)
        close(descriptor)
    }

    @Test("Of many servers that start at the same path at once, one listens")
    func oneOfMany() async throws {
        let folder = try TemporaryFolder()
        let servers = try (0..<16).map { _ in try server(at: folder["a.sock"]) }
        let listening = await withTaskGroup(of: Bool.self) { group in
            for server in servers {
                group.addTask {
                    do {
                        try await server.start()
                        return true
                    } catch {
                        return false
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(listening == 1)
        for server in servers { await server.shutdown(drain: .seconds(1)) }
        #expect(try names(in: folder).isEmpty)
    }
}
