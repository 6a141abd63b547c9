import ErrandSupport
import HTTPSession
import Testing

@Suite("Files of an upload folder", .timeLimit(.hang))
struct FolderUploadsTests {
    @Test("are sent by name, also as parts of a form")
    func sent() async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("content of the file", to: "a.txt")
        let api = try Session.patient(server.origin, uploads: .folder(folder.path))
        try await api.put("file", body: .file("a.txt"))
        try await api.post("form", body: .parts([TaskPart("doc", .file("a.txt"))]))
        let requests = server.requests.events
        #expect(requests[0].text == "content of the file")
        #expect(requests[0]["Content-Length"] == "19")
        #expect(
            requests[1].text.contains("name=\"doc\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\ncontent of"))
        #expect(requests[1]["Content-Length"] == "\(requests[1].body.count)")
    }

    @Test(
        "are found only inside the folder",
        arguments: [("none.txt", .fileNotFound), ("../a", .badFile), ("/etc/hostname", .badFile), ("", .badFile)]
            as [(String, SessionErrorCode)])
    func refused(name: String, code: SessionErrorCode) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let error = #expect(throws: SessionError.self) {
            try FolderUploads(UploadFolder(path: folder.path)).source(of: name)
        }
        #expect(error?.code == code)
    }

    @Test("are not available unless the session is configured for them")
    func none() async throws {
        let api = try Session(baseURL: "http://127.0.0.1:9")
        let error = #expect(throws: SessionError.self) { try api.dataTask("", method: .put, body: .file("a")) }
        #expect(error == SessionError(.badFile, "The session is not configured to send files"))
    }
}
