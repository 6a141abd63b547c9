import HTTPSession
import Support
import Testing

@Suite("Files by their paths as what tasks send")
struct PathUploadsTests {
    @Test("are sent whole, as large as they are")
    func sent() async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        let text = String(repeating: "0123456789", count: 100_000)
        try await TemporaryFolder.with { folder in
            let path = try folder.write(text, to: "large")
            let api = try Session(baseURL: server.origin, uploads: .anyPath)
            try await api.put("file", body: .file(path))
        }
        #expect(server.requests.events.map(\.text) == [text])
    }

    @Test("are refused when they are not there, or are none")
    func refused() async throws {
        try await TemporaryFolder.with { folder in
            let missing = #expect(throws: SessionError.self) { try PathUploads().source(of: folder.path + "/none") }
            #expect(missing?.code == .fileNotFound)
            let directory = #expect(throws: SessionError.self) { try PathUploads().source(of: folder.path) }
            #expect(directory?.code == .badFile)
        }
    }
}
