import ErrandSupport
import Foundation
import HTTPSession
import Testing

@Suite("A request with its content in a file", .timeLimit(.hang))
struct StoredRequestTests {
    private struct Refusal: Error {}

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static func stream(_ text: String) -> AsyncStream<[UInt8]> {
        AsyncStream { input in
            input.yield(Array(text.utf8))
            input.finish()
        }
    }

    /// A form with a field, a file and a stream.
    private func form() throws -> TaskRequest {
        try folder.write(String(repeating: "f", count: 300_000), to: "photo.png")
        return TaskRequest(
            path: "photos", headers: [TaskHeader("X-Album", "7")],
            body: .parts([
                TaskPart("title", .text("Sea")), TaskPart("photo", .file(folder["photo.png"])),
                TaskPart("log", .stream(Self.stream("waves"), length: 5)),
            ]))
    }

    @Test("sends the same form any number of times, without its sources")
    func form() async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        let api = try Session.patient(server.origin, uploads: .anyPath)
        let stored = try await api.store(form(), at: folder["form"])
        try FileManager.default.removeItem(atPath: folder["photo.png"])
        _ = try await api.data(for: stored.request())
        _ = try await api.data(for: stored.request())
        let requests = server.requests.events
        #expect(requests.map(\.line) == ["POST /photos HTTP/1.1", "POST /photos HTTP/1.1"])
        #expect(requests.map { $0["X-Album"] } == ["7", "7"])
        let type = try #require(requests[0]["Content-Type"])
        #expect(type.hasPrefix("multipart/form-data; boundary="))
        #expect(requests[1]["Content-Type"] == type)
        #expect(requests[0].body == folder.bytes(of: "form"))
        #expect(requests[1].body == requests[0].body)
        #expect(Int64(requests[0].body.count) == stored.byteCount)
        #expect(requests[0].text.contains("waves\r\n--\(type.split(separator: "=")[1])--"))
        #expect(try folder.files() == ["form"])
    }

    @Test("has the parameters as the session serializes them")
    func parameters() async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let request = TaskRequest(
            method: "put", path: "a", parameters: Array(#"{"b":[1,2]}"#.utf8), requestSerializer: .json)
        let stored = try await api.store(request, at: folder["content"])
        _ = try await api.data(for: stored.request())
        let sent = try #require(server.requests.events.first)
        #expect(sent.line == "PUT /a HTTP/1.1")
        #expect(sent["Content-Type"] == "application/json")
        #expect(sent.text == #"{"b":[1,2]}"#)
    }

    @Test("keeps the type that the request sets or removes", arguments: [nil, "text/csv"])
    func type(value: String?) async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let request = TaskRequest(headers: [TaskHeader("content-type", value)], body: .stream(Self.stream("1;2")))
        let stored = try await api.store(request, at: folder["content"])
        _ = try await api.data(for: stored.request())
        let sent = try #require(server.requests.events.first)
        #expect(sent["Content-Type"] == value)
        #expect(sent.text == "1;2")
        #expect(sent["Content-Length"] == "3")
    }

    @Test("is compressed once, and has the digest of what is sent")
    func coded() async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        let api = try Session.patient(server.origin) {
            $0.request.compression = RequestCompression(coding: .gzip, minBytes: 1)
            $0.request.contentDigest = .sha256
        }
        let text = String(repeating: "waves ", count: 1000)
        let stored = try await api.store(TaskRequest(body: .text(text)), at: folder["content"])
        _ = try await api.data(for: stored.request())
        try await api.post("", body: .text(text))
        let requests = server.requests.events
        #expect(requests.map { $0["Content-Encoding"] } == ["gzip", "gzip"])
        #expect(requests[0].body == requests[1].body)
        #expect(requests[0]["Content-Digest"]?.hasPrefix("sha-256=:") == true)
        #expect(requests[0]["Content-Digest"] == requests[1]["Content-Digest"])
        #expect(requests[0]["Content-Type"] == "text/plain; charset=utf-8")
    }

    @Test("is written without the limit on the rate of forms")
    func unthrottled() async throws {
        let api = try Session.patient("http://127.0.0.1:9", uploads: .anyPath) {
            $0.request.options.throttle = BandwidthThrottle(packetBytes: 1, delay: .seconds(3600))
        }
        let stored = try await api.store(form(), at: folder["form"])
        #expect(stored.byteCount > 300_000)
    }

    @Test("replaces no file by default; another action is an option")
    func conflicts() async throws {
        let api = try Session.patient("http://127.0.0.1:9")
        let request = TaskRequest(body: .text("new"))
        try folder.write("old", to: "a")
        let error = await #expect(throws: SessionError.self) { try await api.store(request, at: folder["a"]) }
        #expect(error?.code == .exists)
        #expect(folder.bytes(of: "a") == Array("old".utf8))
        let renamed = try await api.store(request, at: folder["a"], onConflict: .rename)
        #expect(renamed.path == folder["a (1)"])
        let replaced = try await api.store(request, at: folder["a"], onConflict: .overwrite)
        #expect(replaced.path == folder["a"])
        #expect(folder.bytes(of: "a") == Array("new".utf8))
        #expect(try folder.files() == ["a", "a (1)"])
        try folder.makeFolder("b")
        let beside = try await api.store(request, at: folder["b"], onConflict: .rename)
        #expect(beside.path == folder["b (1)"])
    }

    @Test("leaves no file if its content fails, with the error of the program")
    func failure() async throws {
        let api = try Session.patient("http://127.0.0.1:9")
        let (stream, input) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        input.yield([1, 2])
        input.finish(throwing: Refusal())
        let error = await #expect(throws: SessionError.self) {
            try await api.store(TaskRequest(body: .stream(stream)), at: folder["a"])
        }
        #expect(error?.code == .transportError)
        #expect(error?.cause is Refusal)
        let short = await #expect(throws: SessionError.self) {
            try await api.store(TaskRequest(body: .stream(Self.stream("ab"), length: 3)), at: folder["a"])
        }
        #expect(short?.code == .transportError)
        #expect(try folder.files().isEmpty)
    }

    @Test("leaves no file if it is canceled while it waits for content")
    func cancellation() async throws {
        let api = try Session.patient("http://127.0.0.1:9")
        let isRead = Signal<Void>()
        let stream = AsyncStream<[UInt8]>(unfolding: {
            isRead.send()
            await untilCanceled()
            return nil
        })
        let storing = Task { try await api.store(TaskRequest(body: .stream(stream)), at: folder["a"]) }
        await isRead.wait()
        storing.cancel()
        let result = await storing.result
        let error = #expect(throws: SessionError.self) { try result.get() }
        #expect(error?.code == .canceled)
        #expect(try folder.files().isEmpty)
    }

    @Test("needs content and a folder")
    func impossible() async throws {
        let api = try Session.patient("http://127.0.0.1:9")
        let none = await #expect(throws: SessionError.self) {
            try await api.store(TaskRequest(path: "a"), at: folder["a"])
        }
        #expect(none?.code == .unserializableParameters)
        #expect(none?.message == "The request has no content")
        let nowhere = await #expect(throws: SessionError.self) {
            try await api.store(TaskRequest(body: .text("a")), at: folder["missing/a"])
        }
        #expect(nowhere?.code == .cannotCreate)
        let bad = await #expect(throws: SessionError.self) {
            try await api.store(TaskRequest(body: .json([0x7B])), at: folder["a"])
        }
        #expect(bad?.code == .unserializableParameters)
    }

    @Test("is refused when its file was changed or removed")
    func changed() async throws {
        let api = try Session.patient("http://127.0.0.1:9")
        let stored = try await api.store(TaskRequest(body: .text("abc")), at: folder["a"])
        try folder.write("abcd", to: "a")
        let changed = await #expect(throws: SessionError.self) { try await stored.request() }
        #expect(changed?.code == .badFile)
        #expect(changed?.message == "The file \(folder["a"]) has 4 bytes; 3 were written")
        try FileManager.default.removeItem(atPath: folder["a"])
        let removed = await #expect(throws: SessionError.self) { try await stored.request() }
        #expect(removed?.code == .fileNotFound)
    }
}
