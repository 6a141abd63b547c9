import ErrandSupport
import HTTPSession
import Testing

@Suite("Files by path", .timeLimit(.hang))
struct PathUploadsTests {
    @Test("are sent whole, however large")
    func sent() async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        let text = String(repeating: "0123456789", count: 100_000)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(text, to: "large")
        let api = try Session.patient(server.origin, uploads: .anyPath)
        try await api.put("file", body: .file(path))
        #expect(server.requests.events.map(\.text) == [text])
    }

    @Test("are rejected if they do not exist or are not regular files")
    func refused() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let missing = #expect(throws: SessionError.self) { try PathUploads().source(of: folder.path + "/none") }
        #expect(missing?.code == .fileNotFound)
        let directory = #expect(throws: SessionError.self) { try PathUploads().source(of: folder.path) }
        #expect(directory?.code == .badFile)
    }
}
