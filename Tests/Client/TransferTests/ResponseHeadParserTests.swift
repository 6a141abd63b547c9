import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("ResponseHeadParser")
struct ResponseHeadParserTests {
    /// Returns the parser's event for each line.
    private func events(_ lines: [String]) -> [ResponseHeadParser.Event] {
        events(lines.map { Array($0.utf8) })
    }

    private func events(_ lines: [[UInt8]]) -> [ResponseHeadParser.Event] {
        var parser = ResponseHeadParser()
        return lines.map { parser.consume($0.span) }
    }

    /// Returns the head that the last of the lines completes.
    private func head(_ lines: [String]) throws -> ResponseHead {
        let events = events(lines)
        #expect(events.dropLast().allSatisfy { $0 == .more })
        guard case .head(let head)? = events.last else { throw NoHead(events: events) }
        return head
    }

    private struct NoHead: Error {
        let events: [ResponseHeadParser.Event]
    }

    private func describe(_ headers: HTTPFields) -> [String] {
        headers.map { "\($0.name.rawName): \($0.value)" }
    }

    @Test("parses a head from status line and fields")
    func plain() throws {
        let head = try head(["HTTP/1.1 200 OK\r\n", "A: 1\r\n", "B:2\r\n", "A:   3 \t\r\n", "\r\n"])
        #expect(head.status == 200)
        #expect(head.reason == "OK")
        #expect(head.version == "1.1")
        #expect(describe(head.headers) == ["A: 1", "B: 2", "A: 3"])
    }

    @Test(
        "accepts status lines as servers write them",
        arguments: [
            ("HTTP/1.0 404 Not Found\r\n", 404, "Not Found", "1.0"), ("HTTP/2 204 \r\n", 204, "", "2"),
            ("HTTP/1.1 200\r\n", 200, "", "1.1"), ("HTTP/1.1 200\n", 200, "", "1.1"), ("HTTP/3 200", 200, "", "3"),
            ("HTTP/1.1  999  Very odd \r\n", 999, "Very odd", "1.1"), ("HTTP/1.1 200OK\r\n", 200, "OK", "1.1"),
        ])
    func statusLines(line: String, status: Int, reason: String, version: String) throws {
        let head = try head([line, "\r\n"])
        #expect(head.status == status)
        #expect(head.reason == reason)
        #expect(head.version == version)
    }

    @Test(
        "rejects a status line without a status",
        arguments: [
            "HTTP/1.1\r\n", "HTTP/1.1 \r\n", "HTTP/\r\n", "HTTP/1.1 20\r\n", "HTTP/1.1 abc\r\n", "HTTP/1.1 099 X",
        ])
    func badStatusLines(line: String) {
        guard case .failed(let error) = events([line])[0] else {
            Issue.record("taken: \(line)")
            return
        }
        #expect(error.code == .cannotParseResponse)
    }

    @Test("skips informational responses")
    func informational() throws {
        let head = try head([
            "HTTP/1.1 100 Continue\r\n", "\r\n", "HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n",
            "HTTP/1.1 200 OK\r\n",
            "A: 1\r\n", "\r\n",
        ])
        #expect(head.status == 200)
        #expect(describe(head.headers) == ["A: 1"])
    }

    @Test("rejects informational responses without an end")
    func endlessInformational() throws {
        let lines = ["HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n"].map { Array($0.utf8) }
        let room = ResponseHeadParser.maxBytes / lines.joined().count * lines.count
        let events = events((0..<room + 3).map { lines[$0 % 3] })
        #expect(events.prefix(room).allSatisfy { $0 == .more })
        let errors = events.compactMap { if case .failed(let error) = $0 { error } else { nil } }
        #expect(errors.map(\.message) == ["The head of the response, with its trailers, is larger than 256 KiB"])
    }

    @Test("starts again at each status line")
    func restarts() throws {
        let head = try head(["HTTP/1.1 200 OK\r\n", "A: 1\r\n", "HTTP/1.1 201 Created\r\n", "B: 2\r\n", "\r\n"])
        #expect(head.status == 201)
        #expect(describe(head.headers) == ["B: 2"])
    }

    @Test("ignores trailers, whatever their content")
    func trailers() throws {
        let events = events(["HTTP/1.1 200 OK\r\n", "\r\n", "A: 1\r\n", "HTTP/1.1 500 X\r\n", "\r\n"])
        guard case .head(let head) = events[1] else { throw NoHead(events: events) }
        #expect(head.status == 200)
        #expect(events.dropFirst(2).allSatisfy { $0 == .more })
    }

    @Test("drops invalid fields and keeps the others")
    func oddFields() throws {
        let head = try head([
            "HTTP/1.1 200 OK\r\n", "no colon\r\n", ": no name\r\n", "Bad Name: 1\r\n", "Spaced : 2\r\n",
            "Ünicode: 3\r\n",
            "Empty:\r\n", "Colons: a:b::\r\n", "\r\n",
        ])
        #expect(describe(head.headers) == ["Empty: ", "Colons: a:b::"])
    }

    @Test("joins folded lines, and drops a folded line without a field")
    func folded() throws {
        let head = try head([
            "HTTP/1.1 200 OK\r\n", " nothing before\r\n", "A: 1\r\n", "  2\r\n", "\t 3\r\n", " \r\n", "B: 4\r\n",
            "\r\n",
        ])
        #expect(describe(head.headers) == ["A: 1 2 3", "B: 4"])
    }

    @Test("decodes values as UTF-8, or as ISO 8859-1 if they are not valid UTF-8")
    func encodings() throws {
        let lines = [
            Array("HTTP/1.1 200 OK\r\n".utf8), Array("A: grüße\r\n".utf8),
            Array("B: gr".utf8) + [0xFC, 0xDF] + Array("e".utf8),
            Array("\r\n".utf8),
        ]
        guard case .head(let head)? = events(lines).last else { throw NoHead(events: events(lines)) }
        #expect(head.headers.map(\.value) == ["grüße", "grüße"])
    }

    /// Returns the fields of a head with these lines.
    private func fields(_ lines: [[UInt8]]) throws -> [String] {
        var all: [[UInt8]] = [Array("HTTP/1.1 302 Found".utf8)]
        all += lines
        all.append([])
        let events = events(all)
        guard case .head(let head)? = events.last else { throw NoHead(events: events) }
        return describe(head.headers)
    }

    @Test("keeps the octets of a Location that is not UTF-8, each percent-encoded, also in a folded line")
    func locationOctets() throws {
        let octets: [UInt8] = Array("Location: /caf".utf8) + [0xE9] + Array("?a=%20b".utf8)
        let folded = Array(" /x".utf8) + [0xFC]
        #expect(try fields([octets]) == ["Location: /caf%E9?a=%20b"])
        #expect(try fields([octets, folded]) == ["Location: /caf%E9?a=%20b /x%FC"])
        #expect(try fields([Array("location: /café".utf8)]) == ["location: /café"])
    }

    @Test(
        "keeps a control character in a Location, so that it is not a URL",
        arguments: [0, 1, 0x0D, 0x1B, 0x7F] as [UInt8])
    func locationControl(byte: UInt8) throws {
        let line = Array("Location: /a".utf8) + [byte] + Array("b".utf8)
        let value = try #require(try fields([line]).first?.dropFirst("Location: ".count))
        #expect(throws: HTTPURLError.controlCharacter) { try HTTPURL("http://e.com/").resolving(String(value)) }
    }

    @Test("drops a Set-Cookie whose octets a text cannot keep, with the folded lines that follow")
    func changedCookie() throws {
        let kept = Array("Set-Cookie: a=ü\tb".utf8)
        #expect(try fields([Array("Set-Cookie: a=b\u{1}c".utf8), kept]) == ["Set-Cookie: a=ü\tb"])
        #expect(try fields([Array("Set-Cookie: a=b\u{7F}c".utf8)]).isEmpty)
        let latin = Array("Set-Cookie: n=J".utf8) + [0xFC] + Array("rgen".utf8)
        let folded = Array(" c".utf8)
        #expect(try fields([kept, latin, folded]) == ["Set-Cookie: a=ü\tb"])
        #expect(try fields([kept, Array(" c\u{1}".utf8), folded]).isEmpty)
    }

    @Test("drops the folded lines of an invalid field")
    func foldedInvalid() throws {
        let lines = ["A: 1", "Bad Name: 2", " 3", "no colon", " 4", "B: 5", " 6"].map { Array($0.utf8) }
        #expect(try fields(lines) == ["A: 1", "B: 5 6"])
    }

    @Test("never accepts more bytes or fields than its limits")
    func limits() {
        let long = "A: \(String(repeating: "x", count: 65_533))\r\n"
        let tooLarge = events(["HTTP/1.1 200 OK\r\n"] + Array(repeating: long, count: 5) + ["\r\n"])
        #expect(tooLarge.contains { if case .failed = $0 { true } else { false } })
        #expect(tooLarge.last == .more)
        let most = Array(repeating: "A: 1\r\n", count: ResponseHeadParser.maxFields)
        if case .head(let head)? = events(["HTTP/1.1 200 OK\r\n"] + most + ["\r\n"]).last {
            #expect(head.headers.count == ResponseHeadParser.maxFields)
        } else {
            Issue.record("rejected as many fields as allowed")
        }
        let tooMany = events(["HTTP/1.1 200 OK\r\n"] + most + ["A: 1\r\n", "\r\n"])
        #expect(tooMany.dropLast().last.map { if case .failed = $0 { true } else { false } } == true)
    }

    @Test("survives any bytes in any order")
    func noise() {
        var generator = SplitMix64(seed: 42)
        let alphabet = Array("HTTP/1.20 :\r\n\t;=aZ\u{0}".utf8) + [0x80, 0xC3, 0xFF]
        for _ in 0..<TestBuild.rounds(2_000) {
            var parser = ResponseHeadParser()
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let line = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
                    alphabet.randomElement(using: &generator) ?? 0
                }
                if case .head(let head) = parser.consume(line.span) { #expect((200...999).contains(head.status)) }
            }
        }
    }

    @Test("counts trailers towards the limits of the head")
    func trailerLimits() {
        let head = ["HTTP/1.1 200 OK\r\n", "A: 1\r\n", "\r\n"]
        let most = Array(repeating: "B: 2\r\n", count: ResponseHeadParser.maxFields - 1)
        #expect(events(head + most).last == .more)
        guard case .failed? = events(head + most + ["C: 3\r\n"]).last else {
            Issue.record("accepted more fields than allowed")
            return
        }
        let long = "A: \(String(repeating: "x", count: 65_533))\r\n"
        guard case .failed? = events(head + Array(repeating: long, count: 4)).last else {
            Issue.record("accepted more bytes than allowed")
            return
        }
        #expect(events(head + Array(repeating: long, count: 5)).last == .more)
    }

    @Test("rejects folded fields that frame the content", arguments: ["Content-Length: 5", "Transfer-Encoding:"])
    func foldedFraming(line: String) {
        guard case .failed(let error)? = events(["HTTP/1.1 200 OK\r\n", "\(line)\r\n", " 5\r\n"]).last else {
            Issue.record("unfolded")
            return
        }
        #expect(error.code == .cannotParseResponse)
    }
}
