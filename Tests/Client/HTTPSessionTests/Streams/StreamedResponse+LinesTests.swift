import ErrandSupport
import HTTPSession
import Testing

@Suite("The lines of a streamed response", .timeLimit(.hang))
struct StreamedResponseLinesTests {
    /// Returns the next line, or the code of the error that is thrown instead.
    private func next(_ lines: inout StreamedResponse.Lines.Iterator) async -> String? {
        do throws(SessionError) {
            return try await lines.next()
        } catch {
            return error.code.rawValue
        }
    }

    /// Returns the lines up to the end or the error, whose code is the last.
    private func rest(_ lines: inout StreamedResponse.Lines.Iterator) async -> [String] {
        var rest: [String] = []
        while let line = await next(&lines) { rest.append(line) }
        return rest
    }

    @Test("come when they are complete, whatever the pieces of the content are")
    func pieces() async throws {
        let mayContinue = Gate()
        // The two bytes of a letter are in two pieces, and the last byte is not UTF-8.
        let pieces: [[UInt8]] = [
            Array("one\nt".utf8), Array("wo\r".utf8), Array("\n\r\n\ngr".utf8) + [0xC3], [0xBC, 0x6E, 0xFF],
        ]
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n")
            for (index, piece) in pieces.enumerated() {
                if index > 0 { mayContinue.wait() }
                try connection.send(piece)
            }
        }
        defer { server.stop() }
        var lines = try await Session.patient(server.origin).stream("lines").lines().makeAsyncIterator()
        let first = await next(&lines)
        #expect(first == "one")
        for _ in pieces.dropFirst() { mayContinue.open() }
        let others = await rest(&lines)
        #expect(others == ["two", "", "", "grün\u{FFFD}"])
    }

    @Test("are limited, and a longer one cancels the transfer")
    func limit() async throws {
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n0123456789\n01234567890")
            connection.waitForClose()
        }
        defer { server.stop() }
        let response = try await Session.patient(server.origin).stream("lines")
        var lines = response.lines(maxBytes: 10).makeAsyncIterator()
        let found = await rest(&lines)
        #expect(found == ["0123456789", "body_too_large"])
        #expect(await server.ended.first(1) == [0])
        let end = await next(&lines)
        #expect(end == nil)
    }

    @Test("come before the error of the response, without one that is incomplete")
    func failure() async throws {
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\none\ntwo\nthr")
        }
        defer { server.stop() }
        var lines = try await Session.patient(server.origin).stream("lines").lines().makeAsyncIterator()
        let found = await rest(&lines)
        #expect(found == ["one", "two", "connection_lost"])
    }

    @Test("can be read once, and not beside the bytes")
    func once() async throws {
        let server = try ScriptedServer { _ in ScriptedResponse(body: "a\nb") }
        defer { server.stop() }
        let response = try await Session.patient(server.origin).stream("lines")
        var lines: [String] = []
        for try await line in response.lines() { lines.append(line) }
        #expect(lines == ["a", "b"])
        var again = response.lines().makeAsyncIterator()
        let found = await rest(&again)
        #expect(found == ["body_stream_exhausted"])
    }
}
