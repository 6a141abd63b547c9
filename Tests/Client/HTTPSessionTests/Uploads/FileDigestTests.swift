import ErrandSupport
import HTTPSession
import Testing

@Suite("The digest of a file", .timeLimit(.hang))
struct FileDigestTests {
    @Test("is sent with the file and with a form that contains it, if the session has digests sent")
    func sent() async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let text = String(repeating: "0123456789", count: 100_000)
        let path = try folder.write(text, to: "large")
        let api = try Session.patient(server.origin, uploads: .anyPath) { $0.request.contentDigest = .sha256 }
        try await api.put("file", body: .file(path))
        try await api.put("file", body: .text(text))
        try await api.put("form", body: .parts([TaskPart("a", .file(path))]))
        let requests = server.requests.events
        try #require(requests.count == 3)
        #expect(requests[0].text == text)
        #expect(requests[0]["Content-Digest"]?.hasPrefix("sha-256=:") == true)
        #expect(requests[0]["Content-Digest"] == requests[1]["Content-Digest"])
        try await api.put("form", body: .bytes(requests[2].body))
        #expect(requests[2]["Content-Digest"] == server.requests.events.last?["Content-Digest"])
    }

    @Test("is not sent by a session that has none sent")
    func none() async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("hello", to: "a")
        try await Session.patient(server.origin, uploads: .anyPath).put("file", body: .file(path))
        #expect(server.requests.events.map { $0["Content-Digest"] } == [nil])
    }

    @Test("is not known of a file that became shorter: the request fails, and is not sent")
    func shortened() async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let source = try FileSource(path: folder.write("hello", to: "a"))
        try folder.write("he", to: "a")
        let api = try Session.patient(server.origin) { $0.request.contentDigest = .sha256 }
        let error = await #expect(throws: SessionError.self) { try await api.put("file", body: .source(source)) }
        #expect(error?.code == .transportError)
        #expect(error?.message == "The file became shorter while it was being sent")
        #expect(server.requests.events.isEmpty)
    }
}
