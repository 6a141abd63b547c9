import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// Responses that are meant to do harm: each ends only its own transfer, with an error that names the cause.
@Suite("CurlEngine: hostile responses", .timeLimit(.hang))
struct HostileResponseTests {
    /// Returns a script that responds to every request of every connection with `wire` and closes.
    private func script(_ wire: String) -> ScriptedServer.Script {
        { connection in
            try connection.readRequest()
            try connection.send(wire)
        }
    }

    @Test("a folded first field line, repeatedly in one session")
    func foldedFirstLine() async throws {
        try await withServer({ connection in
            while true {
                let request = try connection.readRequest()
                if request.line.hasPrefix("GET /fold ") {
                    return try connection.sendFoldedResponse()
                }
                try connection.respond("200 OK", [ScriptedConnection.longField], body: "hello")
            }
        }) { server, session in
            for _ in 0..<50 {
                let (good, text) = await session.perform(try server.request())
                #expect(good.error == nil)
                #expect(text == "hello")
                let (bad, _) = await session.perform(try server.request(.get, "/fold"))
                #expect(bad.error?.code == .cannotParseResponse)
            }
        }
    }

    @Test("a switch to another protocol, which nothing asked for, is no head of endless content")
    func switching() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\n\r\n")
            while true { try connection.send(String(repeating: "x", count: 1 << 16)) }
        }) { server, session in
            let (outcome, text) = await session.perform(try server.request())
            #expect(text.isEmpty)
            #expect(outcome.error?.code == .cannotParseResponse)
            #expect(outcome.error?.mayHaveArrived == true)
        }
    }

    @Test(
        "trailers without an end",
        arguments: ["X-Trailer: 1\r\n"] + [4_000, 5_000].map { "X-Long: \(String(repeating: "x", count: $0))\r\n" })
    func trailers(line: String) async throws {
        let lines = String(repeating: line, count: 64)
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n")
            while true { try connection.send(lines) }
        }) { server, session in
            let (outcome, text) = await session.perform(try server.request())
            #expect(text == "hello")
            #expect(outcome.error?.code == .cannotParseResponse)
            #expect(outcome.error?.message.contains("trailers") == true)
            #expect(await server.ended.first(1) == [0])
        }
    }

    @Test("informational responses without an end")
    func informational() async throws {
        let hints = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", count: 64)
        try await withServer({ connection in
            try connection.readRequest()
            while true { try connection.send(hints) }
        }) { server, session in
            let (outcome, _) = await session.perform(try server.request())
            #expect(outcome.head == nil)
            #expect(outcome.error?.code == .cannotParseResponse)
            #expect(outcome.error?.message.contains("256 KiB") == true)
            #expect(await server.ended.first(1) == [0])
        }
    }

    @Test("a field line that is too long causes an error that names the limit")
    func longLine() async throws {
        try await withServer(script("HTTP/1.1 200 OK\r\nX-Long: \(String(repeating: "x", count: 150_000))\r\n\r\n")) {
            server, session in
            let (outcome, _) = await session.perform(try server.request())
            #expect(outcome.error?.code == .cannotParseResponse)
            #expect(outcome.error?.message.contains("100 KiB") == true)
        }
    }

    @Test(
        "a response that is not HTTP cannot be parsed",
        arguments: [
            "SSH-2.0-OpenSSH_9.2\r\n", "garbage\r\n\r\ngarbage", "HTTP/1.1 abc\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n",
            "\u{0}\u{1}\u{2}\u{3}", "<html>hello</html>", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "HTTP/1.1 200 OK\r\n X: folded\r\n\r\n",
        ])
    func noHTTP(wire: String) async throws {
        try await withServer(script(wire)) { server, session in
            let (outcome, text) = await session.perform(try server.request())
            #expect(outcome.error?.code == .cannotParseResponse)
            #expect(text.isEmpty)
        }
    }

    @Test(
        "an unknown length is an error, and no content is delivered",
        arguments: [
            ["Content-Length: 5", "Content-Length: 3"], ["Content-Length: 5, 3"], ["Content-Length: -5"],
            ["Content-Length: +5"], ["Content-Length: 0x5"], ["Content-Length: 5a"], ["Content-Length: x"],
            ["Content-Length: 9223372036854775808"], ["Content-Length: 99999999999999999999999999"],
            ["Content-Length: 5,"], ["Content-Length:"], ["Content-Length: 5 5"], ["Content-Length: 5", " 5"],
            ["Content-Length: 5", "Content-Length: -5"], ["Transfer-Encoding:", " chunked"],
        ])
    func unknownLength(fields: [String]) async throws {
        let wire = (["HTTP/1.1 200 OK"] + fields).joined(separator: "\r\n") + "\r\n\r\nhello"
        try await withServer(script(wire)) { server, session in
            let (outcome, text) = await session.perform(try server.request())
            #expect(outcome.error?.code == .cannotParseResponse, "\(fields)")
            #expect(text.isEmpty)
            let (post, _) = await session.perform(try server.request(.post))
            #expect(post.error?.mayHaveArrived == true)
            // Without content, its length does not matter.
            let (head, _) = await session.perform(try server.request(.head))
            #expect(head.error == nil || head.error?.code == .cannotParseResponse)
        }
    }

    @Test(
        "repeated equal lengths count as one, and Transfer-Encoding overrides the length",
        arguments: [
            "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", "Content-Length: 5, 5\r\n\r\nhello",
            "Content-Length: 05\r\n\r\nhello",
            "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        ])
    func knownLength(rest: String) async throws {
        try await withServer(script("HTTP/1.1 200 OK\r\n" + rest)) { server, session in
            let (outcome, text) = await session.perform(try server.request())
            #expect(outcome.error == nil)
            #expect(text == "hello")
        }
    }

    @Test(
        "HTTP/2 content with another length than in its head is an error",
        arguments: ["3", "7", "x", "-5", "5, 6"])
    func http2Length(length: String) async throws {
        // A literal field without indexing, by the name of entry 28 of the static table (RFC 7541 §6.2.2, appendix A).
        let field: [UInt8] = [0x0F, 0x0D, UInt8(length.utf8.count)] + Array(length.utf8)
        var options = ConnectionOptions()
        options.version = .http2
        try await withServer(
            { connection in
                try connection.beginHTTP2()
                try connection.send(HTTP2Frames.frame(type: 1, flags: 4, stream: 1, [0x88] + field))
                try connection.send(HTTP2Frames.data("hello", isLast: true))
                connection.waitForClose()
            }, options: options
        ) { server, session in
            let (outcome, _) = await session.perform(try server.request())
            #expect(outcome.error != nil, "\(length)")
        }
    }
}
