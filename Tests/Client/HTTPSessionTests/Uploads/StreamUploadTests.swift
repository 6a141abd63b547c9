import ErrandSupport
import HTTPSession
import Testing

@Suite("A stream as content", .timeLimit(.hang))
struct StreamUploadTests {
    private struct Refusal: Error {}

    private static func stream(_ pieces: [String]) -> AsyncStream<[UInt8]> {
        let (stream, input) = AsyncStream<[UInt8]>.makeStream()
        for piece in pieces { input.yield(Array(piece.utf8)) }
        input.finish()
        return stream
    }

    @Test("is sent in order: chunked, or with its length if that is known")
    func sent() async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let pieces = ["a", "", "bc", String(repeating: "d", count: 300_000)]
        try await api.put("chunked", body: .stream(Self.stream(pieces)))
        try await api.put("known", body: .stream(Self.stream(pieces), length: 300_003))
        let requests = server.requests.events
        #expect(requests.map(\.text) == [pieces.joined(), pieces.joined()])
        #expect(requests.map { $0["Transfer-Encoding"] } == ["chunked", nil])
        #expect(requests.map { $0["Content-Length"] } == [nil, "300003"])
        #expect(requests.map { $0["Content-Type"] } == ["application/octet-stream", "application/octet-stream"])
    }

    @Test("is a part of a form if its length is known")
    func part() async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let content = TaskPart.Content.stream(Self.stream(["con", "tent"]), length: 7)
        try await api.post("form", body: .parts([TaskPart("doc", content, filename: "a.txt")]))
        let request = try #require(server.requests.events.first)
        #expect(request.text.contains("\r\n\r\ncontent\r\n--"))
        #expect(request["Content-Length"] == "\(request.body.count)")
    }

    @Test("is a part without a name, with the fields that it is given")
    func namelessPart() async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let content = TaskPart.Content.stream(Self.stream(["con", "tent"]), length: 7)
        let disposition = TaskHeader("Content-Disposition", "attachment")
        try await api.post("form", body: .parts([TaskPart(nil, content, headers: [disposition])]))
        let request = try #require(server.requests.events.first)
        #expect(request.text.contains("\r\nContent-Disposition: attachment\r\n\r\ncontent\r\n--"))
        #expect(!request.text.contains("form-data"))
    }

    @Test("is sent while it is produced")
    func live() async throws {
        let arrived = Signal<Void>()
        let server = try ScriptedServer { connection in
            _ = try connection.readHead()
            // The first chunk, in the form of HTTP/1.1.
            let first = try connection.read(8)
            #expect(first == Array("3\r\nabc\r\n".utf8))
            arrived.send()
            _ = try connection.read(13)
            try connection.respond()
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin) { $0.response.serializer = .raw }
        let (stream, input) = AsyncStream<[UInt8]>.makeStream()
        async let response = api.put("live", body: .stream(stream))
        input.yield(Array("abc".utf8))
        await arrived.wait()
        input.yield(Array("def".utf8))
        input.finish()
        let status = try await response.status
        #expect(status == 200)
    }

    @Test("fails the request with the error that it throws", arguments: [false, true])
    func failure(isPart: Bool) async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let (stream, input) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        input.yield([1, 2])
        input.finish(throwing: Refusal())
        let body: TaskBody = isPart ? .parts([TaskPart("a", .stream(stream, length: 10))]) : .stream(stream)
        let error = await #expect(throws: SessionError.self) { try await api.put("", body: body) }
        #expect(error?.code == .transportError)
        #expect(error?.message == "The stream of the request content has failed")
        #expect(error?.cause is Refusal)
    }

    @Test("makes a redirect fail that requires it a second time")
    func redirect() async throws {
        let server = try ScriptedServer { _ in
            ScriptedResponse(status: "307 Elsewhere", fields: ["Location: /new"])
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let error = await #expect(throws: SessionError.self) {
            try await api.put("old", body: .stream(Self.stream(["a"])))
        }
        #expect(error?.code == .bodyStreamExhausted)
        #expect(error?.message == "The content must be sent again but cannot be read a second time")
        #expect(error?.response?.status == 307)
        #expect(server.requests.events.count == 1)
    }

    @Test(
        "follows a redirect and answers a challenge that came before its first byte",
        arguments: ["307 Elsewhere\r\nLocation: /b", #"401 No\#r\#nWWW-Authenticate: Digest realm="r", nonce="n""#])
    func unsent(refusal: String) async throws {
        let isWanted = Signal<Void>()
        let server = try ScriptedServer { connection in
            let head = try connection.readHead()
            guard head.line.hasPrefix("PUT /b") || head["Authorization"] != nil else {
                try connection.send("HTTP/1.1 \(refusal)\r\nContent-Length: 0\r\n\r\n")
                return connection.waitForClose()
            }
            isWanted.send()
            // The only chunk, in the form of HTTP/1.1, and the end.
            let content = try connection.read(13)
            #expect(content == Array("3\r\nabc\r\n0\r\n\r\n".utf8))
            try connection.respond()
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin) {
            $0.credentials = .digest(username: "ada", password: "secret")
            $0.response.serializer = .raw
        }
        let (stream, input) = AsyncStream<[UInt8]>.makeStream()
        async let response = api.put("a", body: .stream(stream))
        await isWanted.wait()
        input.yield(Array("abc".utf8))
        input.finish()
        let status = try await response.status
        #expect(status == 200)
    }

    @Test(
        "is lost with a connection that is closed, as often as it was used", arguments: [false, true], [false, true])
    func lost(isReused: Bool, isPart: Bool) async throws {
        let server = try ScriptedServer { connection in
            if isReused {
                try connection.readRequest()
                try connection.respond("200 OK", ["Content-Type: application/json"], body: "[]")
            }
            try connection.readRequest()
        }
        defer { server.stop() }
        let hooks = SessionHooks(retriers: [BackoffRetrier(RetryRule(listed: [.zero], jitter: 0))])
        let api = try Session(baseURL: server.origin, hooks: hooks) {
            $0.makePatient()
            $0.request.options.throttle = BandwidthThrottle(delay: .milliseconds(1))
        }
        if isReused { try await api.get("") }
        let stream = Self.stream(["a", "b"])
        let body: TaskBody = isPart ? .parts([TaskPart("a", .stream(stream, length: 2))]) : .stream(stream)
        let error = await #expect(throws: SessionError.self) { try await api.put("", body: body) }
        #expect(error?.code == .connectionLost)
        #expect(error?.isRetryable == true)
        #expect(error?.mayHaveArrived == true)
        #expect(server.requests.events.map(\.connection) == (isReused ? [0, 0] : [0]))
    }

    @Test("makes no further attempt")
    func retry() async throws {
        let server = try ScriptedServer { _ in ScriptedResponse(status: "503 Busy", body: "[]") }
        defer { server.stop() }
        let hooks = SessionHooks(retriers: [BackoffRetrier(RetryRule(listed: [.zero], jitter: 0))])
        let api = try Session(baseURL: server.origin, hooks: hooks) { $0.makePatient() }
        let error = await #expect(throws: SessionError.self) {
            try await api.put("", body: .stream(Self.stream(["a"])))
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(server.requests.events.count == 1)
    }

    @Test("is no longer read when the task is canceled before its first byte")
    func unsentCancellation() async throws {
        let server = try ScriptedServer { connection in
            _ = try connection.readHead()
            connection.waitForClose()
        }
        defer { server.stop() }
        let (asked, canceled) = (Signal<Void>(), Signal<Void>())
        let stream = AsyncStream<[UInt8]>(
            unfolding: {
                asked.send()
                await canceled.wait()
                return nil
            }, onCancel: { canceled.send() })
        let task = try Session.patient(server.origin).dataTask("", method: .put, body: .stream(stream))
        task.resume()
        await asked.wait()
        task.cancel()
        await canceled.wait()
        let outcome = await task.outcome
        #expect(outcome.error == .canceled)
    }

    @Test("is no longer read when the task is canceled")
    func cancellation() async throws {
        let arrived = Signal<Void>()
        let server = try ScriptedServer { connection in
            _ = try connection.readHead()
            _ = try connection.read(1)
            arrived.send()
            connection.waitForClose()
        }
        defer { server.stop() }
        let asked = EventLog<Void>()
        let canceled = Signal<Void>()
        let stream = AsyncStream<[UInt8]>(
            unfolding: {
                asked.append()
                if asked.events.count == 1 { return [1] }
                await canceled.wait()
                return nil
            }, onCancel: { canceled.send() })
        let api = try Session.patient(server.origin)
        let task = try api.dataTask("", method: .put, body: .stream(stream))
        task.resume()
        await arrived.wait()
        _ = await asked.first(2)
        task.cancel()
        await canceled.wait()
        let outcome = await task.outcome
        #expect(outcome.error == .canceled)
    }
}
