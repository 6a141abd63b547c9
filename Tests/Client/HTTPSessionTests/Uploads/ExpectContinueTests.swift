import ErrandSupport
import HTTPSession
import Testing

@Suite("Content that waits for the server's consent", .timeLimit(.hang))
struct ExpectContinueTests {
    private static let text = String(repeating: "a", count: 200_000)

    private static func stream() -> AsyncStream<[UInt8]> {
        AsyncStream { input in
            input.yield(Array(text.utf8))
            input.finish()
        }
    }

    private static func session(
        _ server: ScriptedServer, from bytes: Int64? = 100_000,
        configure: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> Session {
        try Session.patient(server.origin) {
            $0.request.expectContinueBytes = bytes
            $0.response.serializer = .raw
            configure(&$0)
        }
    }

    /// Reads content of unknown length, in chunks.
    private static func content(after connection: ScriptedConnection) throws -> String {
        var text = ""
        while true {
            let line = try connection.readLine()
            guard let count = Int(line, radix: 16) else { throw Malformed(line: line) }
            text += String(decoding: try connection.read(count), as: UTF8.self)
            _ = try connection.readLine()
            if count == 0 { return text }
        }
    }

    private struct Malformed: Error { var line: String }

    @Test("is sent when the server says so")
    func consent() async throws {
        let server = try ScriptedServer { connection in
            let head = try connection.readHead()
            #expect(head["Expect"] == "100-continue")
            try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
            #expect(try Self.content(after: connection) == Self.text)
            try connection.respond()
        }
        defer { server.stop() }
        let response = try await Self.session(server).put("a", body: .stream(Self.stream()))
        #expect(response.status == 200)
    }

    @Test("is sent without consent too, after a while")
    func silence() async throws {
        let server = try ScriptedServer { connection in
            _ = try connection.readHead()
            #expect(try Self.content(after: connection) == Self.text)
            try connection.respond()
        }
        defer { server.stop() }
        let response = try await Self.session(server).put("a", body: .stream(Self.stream()))
        #expect(response.status == 200)
    }

    @Test(
        "can follow a redirect or answer a challenge although it can be read only once",
        arguments: ["307 Elsewhere\r\nLocation: /b", #"401 No\#r\#nWWW-Authenticate: Digest realm="r", nonce="n""#])
    func untouched(refusal: String) async throws {
        let server = try ScriptedServer { connection in
            let head = try connection.readHead()
            guard head.line.hasPrefix("PUT /b") || head["Authorization"] != nil else {
                // Content that does not wait for consent is lost with its first byte, and not before.
                if head["Expect"] == nil { _ = try connection.read(1) }
                try connection.send("HTTP/1.1 \(refusal)\r\nContent-Length: 0\r\n\r\n")
                return connection.waitForClose()
            }
            try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
            #expect(try Self.content(after: connection) == Self.text)
            try connection.respond()
        }
        defer { server.stop() }
        let configure = { (configuration: inout SessionConfiguration) in
            configuration.credentials = .digest(username: "ada", password: "secret")
        }
        let response = try await Self.session(server, configure: configure).put("a", body: .stream(Self.stream()))
        #expect(response.status == 200)
        let eager = await #expect(throws: SessionError.self) {
            try await Self.session(server, from: nil, configure: configure).put("a", body: .stream(Self.stream()))
        }
        #expect(eager?.code == .bodyStreamExhausted)
    }

    @Test("is sent again without the expectation to a server that does not support it")
    func unsupported() async throws {
        let expectations = EventLog<String?>()
        let server = try ScriptedServer { connection in
            let head = try connection.readHead()
            expectations.append(head["Expect"])
            guard head["Expect"] == nil else {
                try connection.respond("417 Expectation Failed")
                return connection.waitForClose()
            }
            #expect(try Self.content(after: connection) == Self.text)
            try connection.respond()
        }
        defer { server.stop() }
        let response = try await Self.session(server).put("a", body: .stream(Self.stream()))
        #expect(response.status == 200)
        #expect(expectations.events == ["100-continue", nil])
    }

    @Test("is not sent to a server that refuses the request")
    func refused() async throws {
        let content = EventLog<Int>()
        let server = try ScriptedServer { connection in
            _ = try connection.readHead()
            try connection.respond("403 Forbidden", body: "no")
            content.append((try? connection.read(1).count) ?? 0)
        }
        defer { server.stop() }
        let error = await #expect(throws: SessionError.self) {
            try await Self.session(server).put("a", body: .bytes(Array(Self.text.utf8)))
        }
        #expect(error?.response?.status == 403)
        #expect(await content.first(1) == [0])
    }

    @Test(
        "is not content in memory of less than 64 KiB, which is sent along with the head",
        arguments: [(65_535, nil), (2_000_000, "100-continue")] as [(Int, String?)])
    func inMemory(count: Int, expectation: String?) async throws {
        let server = try ScriptedServer { connection in
            let head = try connection.readHead()
            #expect(head["Expect"] == expectation)
            if head["Expect"] != nil { try connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
            let content = try connection.read(count)
            #expect(content.count == count)
            try connection.respond()
        }
        defer { server.stop() }
        let content = [UInt8](repeating: 1, count: count)
        let response = try await Self.session(server, from: 1).put("a", body: .bytes(content))
        #expect(response.status == 200)
    }

    @Test("is that of the configured size, and larger; a 417 to other content is its response")
    func size() async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        try await Self.session(server, from: 100_000).put("a", body: .bytes([UInt8](repeating: 1, count: 99_999)))
        try await Self.session(server, from: nil).put("a", body: .bytes(Array(Self.text.utf8)))
        try await Self.session(server).put("a", body: .text("a"))
        try await Self.session(server).get("a")
        #expect(server.requests.events.map { $0["Expect"] } == [nil, nil, nil, nil])
        let failing = try ScriptedServer { _ in ScriptedResponse(status: "417 Expectation Failed") }
        defer { failing.stop() }
        let error = await #expect(throws: SessionError.self) {
            try await Self.session(failing).put("a", body: .text("a"))
        }
        #expect(error?.response?.status == 417)
        #expect(failing.requests.events.count == 1)
        // Content that is sent along with the head expects nothing, whatever size is configured.
        let inline = await #expect(throws: SessionError.self) {
            try await Self.session(failing, from: 16_384).post("a", body: .bytes([UInt8](repeating: 1, count: 40_000)))
        }
        #expect(inline?.response?.status == 417)
        #expect(failing.requests.events.map { $0["Expect"] } == [nil, nil])
    }
}
