import ErrandSupport
import Foundation
import HTTPSession
import Testing

@Suite("A download", .timeLimit(.hang))
struct DownloadTests {
    private let folder: TemporaryFolder
    private let content = ServedContent(600_000)

    /// A serializer that reads no content.
    private struct RefusingSerializer: ResponseSerializer {
        var acceptableContentTypes: [MediaRange]? { nil }

        func serialize(
            _ content: [UInt8], contentType: MediaType?
        ) throws(ResponseSerializationError) -> SerializedResponse {
            throw ResponseSerializationError("No content is read")
        }
    }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func server() throws -> ScriptedServer {
        try ScriptedServer { [content] connection in
            try content.respond(to: connection.readRequest(), on: connection)
        }
    }

    @Test("is a file with the content, and nothing else")
    func file() async throws {
        let server = try server()
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let file = try await api.download("file", parameters: ["a": 1], to: folder.destination("a"))
        #expect(file.path == folder["a"])
        #expect(file.size == 600_000)
        #expect(file.head.status == 200)
        #expect(file.response.body == nil)
        #expect(try folder.files() == ["a"])
        #expect(folder.bytes(of: "a") == content.bytes)
        let request = try #require(server.requests.events.first)
        #expect(request.line == "GET /file?a=1 HTTP/1.1")
        #expect(request["Accept-Encoding"] == "identity")
        #expect(request["Range"] == nil)
        #expect(request["If-Range"] == nil)
    }

    @Test("may be the response to any request, with the content of that")
    func anyRequest() async throws {
        let server = try server()
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let request = try TaskRequest(.post, "reports", parameters: ["year": 2026])
        let file = try await api.download(request, to: folder.destination("a"))
        #expect(file.size == 600_000)
        #expect(folder.bytes(of: "a") == content.bytes)
        let sent = try #require(server.requests.events.first)
        #expect(sent.line == "POST /reports HTTP/1.1")
        #expect(sent.text == "year=2026")
        #expect(sent["Accept-Encoding"] == "identity")
        let error = await #expect(throws: DownloadError.self) {
            try await api.download(TaskRequest(method: "TRACE"), to: folder.destination("b"))
        }
        #expect(error?.code == .methodNotAllowed)
        #expect(try folder.files() == ["a"])
    }

    @Test("of any request is canceled with the calling task, and leaves nothing")
    func canceledCaller() async throws {
        let server = try ScriptedServer.silent()
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let request = try TaskRequest(.put, "reports", parameters: ["year": 2026])
        let destination = folder.destination("a")
        let call = Task { () async -> SessionErrorCode? in
            do throws(DownloadError) {
                try await api.download(request, to: destination)
                return nil
            } catch {
                return error.code
            }
        }
        _ = await server.requests.first(1)
        call.cancel()
        #expect(await call.value == .canceled)
        #expect(await server.ended.first(1) == [0])
        #expect(try folder.files().isEmpty)
    }

    @Test("may be empty")
    func empty() async throws {
        let server = try ScriptedServer { _ in ScriptedResponse() }
        defer { server.stop() }
        let file = try await Session.patient(server.origin).download("file", to: folder.destination("a"))
        #expect(file.size == 0)
        #expect(folder.bytes(of: "a") == [])
    }

    @Test("may be larger than content in memory, up to its own limit")
    func limit() async throws {
        let server = try server()
        defer { server.stop() }
        let api = try Session.patient(server.origin) { $0.response.disposition.maxBodyBytes = 1000 }
        try await api.download("file", to: folder.destination("a"), options: DownloadOptions(maxBytes: 600_000))
        let error = await #expect(throws: DownloadError.self) {
            try await api.download("file", to: folder.destination("b"), options: DownloadOptions(maxBytes: 599_999))
        }
        #expect(error?.code == .bodyTooLarge)
        #expect(error?.resumeData == nil)
        #expect(try folder.files() == ["a"])
    }

    @Test("has a destination that may depend on the head of the response")
    func chosen() async throws {
        let server = try server()
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let file = try await api.download("file", to: .chosen { [folder] in folder["of-\($0.status)"] })
        #expect(file.path == folder["of-200"])
        #expect(try folder.files() == ["of-200"])
    }

    // MARK: Responses

    @Test("leaves nothing after an unacceptable status, whose content is in the response")
    func badStatus() async throws {
        let server = try ScriptedServer { _ in ScriptedResponse(status: "404 Not Found", fields: [], body: "none") }
        defer { server.stop() }
        let task = try Session.patient(server.origin).downloadTask("file", to: folder.destination("a"))
        task.resume()
        let outcome = await task.outcome
        #expect(outcome.error?.code == .unacceptableStatus)
        #expect(outcome.error?.resumeData == nil)
        #expect(outcome.file == nil)
        guard case .bytes(let bytes)? = outcome.response?.body?.content else {
            Issue.record("The content is not in memory")
            return
        }
        #expect(bytes == Array("none".utf8))
        #expect(try folder.files().isEmpty)
    }

    @Test("is judged by the statuses of its request, if that has any")
    func ownStatuses() async throws {
        let server = try ScriptedServer { _ in
            ScriptedResponse(status: "404 Not Found", fields: [#"ETag: "v2""#], body: "none")
        }
        defer { server.stop() }
        let accepting = try TaskRequest(
            .get, "file", options: RequestOptions(acceptableStatuses: StatusSet([404...404])))
        let task = try Session.patient(server.origin).downloadTask(accepting, to: folder.destination("a"))
        task.resume()
        #expect(try await task.file.size == 4)
        #expect(folder.bytes(of: "a") == Array("none".utf8))
        let refusing = try TaskRequest(
            .get, "\(server.origin)/file", options: RequestOptions(acceptableStatuses: .success))
        let api = try Session.patient(server.origin) { $0.response.acceptableStatuses = StatusSet([200...404]) }
        let data = try ServedContent(10).interrupted(after: 4, in: folder, at: server.origin)
        let resumed = try api.downloadTask(refusing, to: folder.destination("b"), resuming: data)
        resumed.resume()
        let outcome = await resumed.outcome
        #expect(outcome.error?.code == .unacceptableStatus)
        #expect(outcome.error?.resumeData?.received == 4)
        #expect(try folder.files() == ["a", "interrupted.part"])
        #expect(server.requests.events.count == 2)
    }

    @Test("is not read by a serializer of its hooks")
    func ownSerializer() async throws {
        let server = try server()
        defer { server.stop() }
        let hooks = SessionHooks(responseSerializer: RefusingSerializer())
        let request = try TaskRequest(.get, "file", options: RequestOptions(hooks: hooks))
        let task = try Session.patient(server.origin).downloadTask(request, to: folder.destination("a"))
        task.resume()
        #expect(try await task.file.size == 600_000)
    }

    @Test("throws an error with the response and the beginning of its content")
    func errorResponse() async throws {
        let server = try ScriptedServer { _ in ScriptedResponse(status: "404 Not Found", body: #"{"id":7}"#) }
        defer { server.stop() }
        for (limit, text) in [(1000, #"{"id":7}"#), (5, #"{"id""#)] as [(Int64, String)] {
            let api = try Session.patient(server.origin) { $0.response.disposition.maxErrorBytes = limit }
            let error = await #expect(throws: DownloadError.self) {
                try await api.download("file", to: folder.destination("a"))
            }
            #expect(error?.code == .unacceptableStatus)
            let response = try #require(error?.response)
            #expect(response.status == 404)
            #expect(response.text == text)
            if limit == 1000 { #expect(try response.decoded(as: [String: Int].self) == ["id": 7]) }
        }
        #expect(try folder.files().isEmpty)
    }

    @Test("leaves nothing after an unacceptable content type")
    func badType() async throws {
        let server = try ScriptedServer { _ in
            ScriptedResponse(fields: ["Content-Type: text/html", #"ETag: "v1""#], body: "<p>")
        }
        defer { server.stop() }
        let image = try #require(MediaRange("image/*"))
        let api = try Session.patient(server.origin) { $0.response.acceptableContentTypes = [image] }
        let error = await #expect(throws: DownloadError.self) {
            try await api.download("file", to: folder.destination("a"))
        }
        #expect(error?.code == .unacceptableContentType)
        #expect(error?.resumeData == nil)
        #expect(try folder.files().isEmpty)
    }

    @Test("leaves nothing if the content lacks bytes and has no validator")
    func cut() async throws {
        var content = content
        content.validator = "X: 1"
        let server = try content.server(cutAfter: 300_000) { _, _ in }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let error = await #expect(throws: DownloadError.self) {
            try await api.download("file", to: folder.destination("a"))
        }
        #expect(error?.code == .connectionLost)
        #expect(error?.resumeData == nil)
        #expect(try folder.files().isEmpty)
    }

    @Test("is refused a part that it did not ask for")
    func uninvitedPart() async throws {
        let server = try ScriptedServer { [content] connection in
            try connection.readRequest()
            try content.send(0..<10, on: connection)
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let error = await #expect(throws: DownloadError.self) {
            try await api.download("file", to: folder.destination("a"))
        }
        #expect(error?.code == .cannotParseResponse)
        #expect(try folder.files().isEmpty)
    }

    @Test("sets the fields of ranges itself", arguments: ["Range", "if-range"])
    func ownFields(name: String) throws {
        let api = try Session(baseURL: "http://127.0.0.1:9")
        let error = #expect(throws: SessionError.self) {
            try api.downloadTask("file", headers: RequestHeaders([TaskHeader(name, "bytes=1-")]), to: "a")
        }
        #expect(error?.code == .unserializableParameters)
    }

    // MARK: Checksums

    /// The digests of "hello", computed by sha512sum and so on.
    static let digests: [DownloadChecksum] = [
        .sha512(
            "9b71d224bd62f3785d96d46ad3ea3d73319bfbc2890caadae2dff72519673ca7"
                + "2323c3d99ba5c11d7c7acc6e14b8c5da0c4663475c2e5c3adef46f73bcdec043"),
        .sha256("2CF24DBA5FB0A30E26E83B2AC5B9E29E1B161E5C1FA7425E73043362938B9824"),
        .sha1("aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d"),
        .md5("5d41402abc4b2a76b9719d911017c592"),
    ]

    @Test("must have the expected digest", arguments: digests)
    func checksum(expected: DownloadChecksum) async throws {
        let server = try ScriptedServer { _ in ScriptedResponse(body: "hello") }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        try await api.download("file", to: folder.destination("a"), options: DownloadOptions(checksum: expected))
        let other = DownloadChecksum(expected.algorithm, String(expected.text.reversed()))
        let error = await #expect(throws: DownloadError.self) {
            try await api.download("file", to: folder.destination("b"), options: DownloadOptions(checksum: other))
        }
        #expect(error?.code == .checksumMismatch)
        #expect(error?.message.contains(other.text) == true)
        #expect(error?.message.lowercased().contains(expected.text.lowercased()) == true)
        #expect(error?.resumeData == nil)
        #expect(try folder.files() == ["a"])
        #expect(server.requests.events.count == 2)
    }

    @Test("is refused with a digest of another length", arguments: DownloadChecksum.Algorithm.allCases)
    func invalidChecksum(algorithm: DownloadChecksum.Algorithm) async throws {
        let api = try Session(baseURL: "http://127.0.0.1:9")
        let digits = try #require(Self.digests.first { $0.algorithm == algorithm }).text
        for text in ["x", "", String(digits.dropLast(2)), digits + "00", digits.dropLast() + "g"] {
            let error = await #expect(throws: DownloadError.self) {
                try await api.download(
                    "file", to: folder.destination("b"),
                    options: DownloadOptions(checksum: DownloadChecksum(algorithm, text)))
            }
            #expect(error?.code == .unserializableParameters)
            #expect(error?.message.contains("\(digits.utf8.count) hexadecimal digits") == true)
        }
    }
}
