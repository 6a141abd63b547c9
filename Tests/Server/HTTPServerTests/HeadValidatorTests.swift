import HTTPTypes
import Testing

@testable import ErrandHTTPServer

@Suite("HeadValidator")
struct HeadValidatorTests {
    private func verdict(_ fields: [(String, String)], isHTTP10: Bool = false) throws -> HeadValidator.Verdict {
        var validator = HeadValidator()
        for (name, value) in fields {
            validator.add(name: name, value: value)
        }
        return try validator.verdict(isHTTP10: isHTTP10)
    }

    @Test("a valid head determines the framing of its content")
    func framing() throws {
        #expect(try verdict([("Host", "a")]).framing == .none)
        #expect(try verdict([("Host", "a"), ("Content-Length", "0")]).framing == .none)
        #expect(try verdict([("Host", "a"), ("content-length", "12")]).framing == .length(12))
        #expect(try verdict([("Host", "a"), ("Transfer-Encoding", "Chunked")]).framing == .chunked)
        #expect(try verdict([], isHTTP10: true).framing == .none)
    }

    @Test(
        "an ambiguous head is rejected with a 400",
        arguments: [
            [],
            [("Host", "a"), ("Host", "a")],
            [("Host", "a"), ("host", "b")],
            [("Host", "a b")],
            [("Host", "a/b")],
            [("Host", "user@a")],
            [("Host", "a:b")],
            [("Host", "[::1")],
            [("Host", "[::1]x")],
            [("Host", "a"), ("Content-Length", "3"), ("Content-Length", "3")],
            [("Host", "a"), ("Content-Length", "3"), ("Content-Length", "4")],
            [("Host", "a"), ("Content-Length", "3, 3")],
            [("Host", "a"), ("Content-Length", "+3")],
            [("Host", "a"), ("Content-Length", "-1")],
            [("Host", "a"), ("Content-Length", "0x3")],
            [("Host", "a"), ("Content-Length", "")],
            [("Host", "a"), ("Content-Length", "9223372036854775807")],
            [("Host", "a"), ("Content-Length", "99999999999999999999")],
            [("Host", "a"), ("Content-Length ", "3")],
            [("Host", "a"), ("Content-Length", "3"), ("Transfer-Encoding", "chunked")],
            [("Host", "a"), ("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")],
            [("Host", "a"), ("Transfer-Encoding", "gzip, chunked")],
            [("Host", "a"), ("Transfer-Encoding", "identity")],
            [("Host", "a"), ("Transfer-Encoding", "xchunked")],
            [("Host", "a"), ("Transfer-Encoding", "chunked ")],
            [("Host", "a"), ("Transfer-Encoding", "")],
            [("Host", "a"), ("X Y", "1")],
            [("Host", "a"), ("", "1")],
            [("Host", "a"), ("X\t", "1")],
            [("Host", "a"), ("X(", "1")],
            [("Host", "a"), ("X", "1\u{1}2")],
            [("Host", "a"), ("X", "1\r2")],
            [("Host", "a"), ("X", "\u{7F}")],
        ])
    func refused(fields: [(String, String)]) {
        let problem = #expect(throws: ProblemDetails.self) { try verdict(fields) }
        #expect(problem?.status == .badRequest)
        #expect(problem?.detail?.isEmpty == false)
    }

    @Test("chunks in HTTP/1.0 are rejected")
    func chunksInHTTP10() {
        #expect(throws: ProblemDetails.self) { try verdict([("Transfer-Encoding", "chunked")], isHTTP10: true) }
    }

    @Test(
        "hosts are names and addresses with or without a port",
        arguments: [
            "", "a", "a:80", "a:", "127.0.0.1:8080", "[::1]", "[::1]:8080", "xn--bcher-kva.example", "a_b.local",
        ])
    func hosts(host: String) throws {
        _ = try verdict([("Host", host)])
    }

    @Test("an expectation is 100-continue or a 417")
    func expectation() throws {
        #expect(try verdict([("Host", "a"), ("Content-Length", "1"), ("Expect", "100-Continue")]).expectsContinue)
        #expect(try !verdict([("Host", "a"), ("Expect", "100-continue")]).expectsContinue)
        #expect(try !verdict([("Content-Length", "1"), ("Expect", "100-continue")], isHTTP10: true).expectsContinue)
        let problem = #expect(throws: ProblemDetails.self) { try verdict([("Host", "a"), ("Expect", "200-ok")]) }
        #expect(problem?.status == .expectationFailed)
    }

    @Test("whitespace around a value does not belong to it, and fields keep their order")
    func fields() throws {
        var validator = HeadValidator()
        validator.add(name: "Host", value: "a \t")
        validator.add(name: "X-One", value: "1")
        validator.add(name: "x-one", value: "2 ")
        _ = try validator.verdict(isHTTP10: false)
        #expect(validator.fields.map(\.value) == ["a", "1", "2"])
        #expect(validator.fields.map(\.name.rawName) == ["Host", "X-One", "x-one"])
    }
}
