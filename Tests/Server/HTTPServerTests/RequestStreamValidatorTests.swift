import ErrandHTTPServer
import ErrandReferenceParsers
import ErrandSupport
import HTTPTypes
import Testing

@Suite("RequestStreamValidator")
struct RequestStreamValidatorTests {
    /// Bytes of a connection, with the expected result.
    struct Row: Sendable, CustomTestStringConvertible {
        var bytes: String
        /// The number of accepted requests.
        var passes: Int
        /// The status of the problem after them.
        var status: Int?

        init(_ bytes: String, passes: Int = 0, _ status: Int? = nil) {
            self.bytes = bytes
            self.passes = passes
            self.status = status
        }

        var testDescription: String { bytes.debugDescription }
    }

    private static let limits = RequestStreamValidator.Limits(headBytes: 2000, targetBytes: 100, recordBytes: 4096)
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func head(_ fields: String) -> String { "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n" }

    private static func chunks(_ content: String) -> String { head("Transfer-Encoding: chunked\r\n") + content }

    static let allowed = [
        Row(""), Row("GET"), Row("GET / HTTP/1.1\r\nHo"), Row(get, passes: 1), Row(get + get, passes: 2),
        Row("\r\n\r\n\(get)\r\n\(get)", passes: 2), Row("M-SEARCH * HTTP/1.0\r\n\r\n", passes: 1),
        Row("GET http://a/b?c&d HTTP/1.9\r\n\r\n", passes: 1),
        Row("GET /\u{e9} HTTP/1.1\r\nX: \u{e9}\t \r\n\r\n", passes: 1),
        Row(head("X:\r\nY:  \t\r\nZ: :\r\n"), passes: 1), Row(head("Content-Length: 0\r\n") + get, passes: 2),
        Row(head("content-length:\t 3\r\n") + "\0\r\n" + get, passes: 2), Row(head("Content-Length: 3\r\n") + "ab"),
        Row(head("Cookie: a=b; c=d, e\r\nContent_Length: 9\r\nXContent-Length: 9\r\n"), passes: 1),
        Row(chunks("0\r\n\r\n") + get, passes: 2), Row(chunks("3\r\n\0\r\n\r\n0\r\n\r\n") + get, passes: 2),
        Row(chunks("00A\r\n0123456789\r\n000\r\nA: b\r\nContent-Length: 5\r\n\r\n") + get, passes: 2),
        Row(chunks("1;a;b=c;d=\"e;\\\"f\"; g = h\r\n1\r\n0;i\r\n\r\n"), passes: 1),
        Row(head("TRANSFER-ENCODING: Chunked\r\n") + "0\r\n\r\n", passes: 1),
    ]

    static let refusedHeads = [
        Row("\0" + get, 400), Row(" " + get, 400), Row("\n" + get, 400), Row("\r\n\r\n\r\n" + get, 400),
        Row("\r" + get, 400), Row("\u{16}\u{3}\u{1}", 400), Row("G\0T / HTTP/1.1\r\n\r\n", 400),
        Row("GET  / HTTP/1.1\r\n\r\n", 400), Row("GET /  HTTP/1.1\r\n\r\n", 400), Row("GET\t/ HTTP/1.1\r\n\r\n", 400),
        Row("GET / HTTP/1.1 \r\n\r\n", 400), Row("GET /a b HTTP/1.1\r\n\r\n", 400), Row("GET / \r\n\r\n", 400),
        Row("GET /\r\n\r\n", 400), Row("GET\r\n\r\n", 400), Row("GET /\0a HTTP/1.1\r\n\r\n", 400),
        Row("GET / HTTP/1.1\n\r\n", 400), Row("GET / HTTP/1.1\0\n\r\n", 400), Row("GET / HTTP/1.1\rX", 400),
        Row("GET / HTTP/1.10\r\n\r\n", 400), Row("GET / http/1.1\r\n\r\n", 400), Row("GET / HTTP/11\r\n\r\n", 400),
        Row("GET / HTTP/9.9\r\n\r\n", 505), Row("GET / HTTP/0.9\r\n\r\n", 505), Row("PRI * HTTP/2.0\r\n\r\n", 505),
        Row("GET /\(String(repeating: "a", count: 100)) HTTP/1.1\r\n\r\n", 414),
    ]

    static let refusedFields = [
        Row(head(":\r\n") + get, 400), Row(head(": a\r\n"), 400), Row("GET / HTTP/1.1\r\nHost: a\r\n:\n" + get, 400),
        Row(get + head(":\r\n"), passes: 1, 400), Row(head("X : a\r\n"), 400), Row(head("X\r\n"), 400),
        Row(head("X: a\r\n b\r\n"), 400), Row(head("X: a\r\n\tb\r\n"), 400),
        Row("GET / HTTP/1.1\r\n X: a\r\n\r\n", 400),
        Row(head("X: a\nY: b\r\n"), 400), Row(head("X: a\0b\r\n"), 400), Row(head("X: a\0\n"), 400),
        Row(head("X: a\n\0\r\n"), 400), Row(head("X: a\rb\r\n"), 400), Row(head("X\0Y: a\r\n"), 400),
        Row("GET / HTTP/1.1\r\nHost: a\r\n\n", 400), Row("GET / HTTP/1.1\r\nHost: a\r\n\0\n", 400),
        Row("GET / HTTP/1.1\r\nHost: a\r\n\rX", 400), Row(head("\u{e9}: a\r\n"), 400),
        Row(head("X: \(String(repeating: "a", count: 2000))\r\n"), 431),
        Row(head(String(repeating: "a:\r\n", count: 100)), 431),
        Row("GET /?\(String(repeating: "&", count: 90)) HTTP/1.1\r\n\r\n", 431),
        Row(head("Cookie: \(String(repeating: ";", count: 90))\r\n"), 431),
    ]

    static let refusedLengths = [
        Row(head("Content-Length:\r\n 47\r\n"), 400), Row(head("Content-Length: 0\u{0}37\r\n"), 400),
        Row(head("Content-Length: -1\r\n"), 400), Row(head("Content-Length: +1\r\n"), 400),
        Row(head("Content-Length: 0x1\r\n"), 400), Row(head("Content-Length: 1, 1\r\n"), 400),
        Row(head("Content-Length: 1 \r\n"), 400), Row(head("Content-Length: \r\n"), 400),
        Row(head("Content-Length: 99999999999999999999\r\n"), 400),
        Row(head("Content-Length: 18446744073709551617\r\n"), 400),
        Row(head("Content-Length: 9223372036854775807\r\n"), 400),
        Row(head("Content-Length: 1\r\nContent-Length: 1\r\n"), 400),
        Row(head("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n"), 400),
        Row(head("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n"), 400),
        Row(head("Content-Length: 5\r\nTransfer-Encoding:\r\n chunked\r\n"), 400),
        Row(head("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400),
        Row(head("Transfer-Encoding: \r\n"), 400), Row(head("Transfer-Encoding: chunked \r\n"), 400),
        Row(head("Transfer-Encoding: gzip, chunked\r\n"), 400), Row(head("Transfer-Encoding: identity\r\n"), 400),
    ]

    static let refusedChunks = [
        Row(chunks("5;\r\nhello\r\n"), 400), Row(chunks("5;bad[=x\r\nhello\r\n"), 400), Row(chunks("5;a=\r\n"), 400),
        Row(chunks("5;a=\"b\r\n"), 400), Row(chunks("5;a=\"b\"c\r\n"), 400), Row(chunks("5;a b\r\n"), 400),
        Row(chunks("5 ;a\r\n"), 400), Row(chunks("5;a \r\n"), 400), Row(chunks("5;=a\r\n"), 400),
        Row(chunks("5;\(String(repeating: "a", count: 64 * 1024))"), 400),
        Row(chunks(String(repeating: "1;\(String(repeating: "a", count: 1000))\r\n1\r\n", count: 20)), 400),
        Row(chunks("ffffffffffffffff\r\n"), 400), Row(chunks("10000000000000005\r\n"), 400), Row(chunks("-5\r\n"), 400),
        Row(chunks("0x5\r\n"), 400), Row(chunks("\r\n"), 400), Row(chunks(";a\r\n"), 400), Row(chunks(" 5\r\n"), 400),
        Row(chunks("5\nhello\r\n"), 400), Row(chunks("5\r\nhello\n"), 400), Row(chunks("5\r\nhelloX"), 400),
        Row(chunks("5\r\nhello\rX"), 400), Row(chunks("5\0\r\n"), 400), Row(chunks("0\r\n\n"), 400),
        Row(chunks("0\r\n:\r\n"), 400), Row(chunks("0\r\n a\r\n"), 400), Row(chunks("0\r\na: \0\r\n"), 400),
        Row(chunks("0\r\na: \(String(repeating: "a", count: 5000))"), 431),
        Row(get + chunks("5;\r\n"), passes: 1, 400),
    ]

    @Test("Unambiguous requests are accepted, in any pieces", arguments: allowed)
    func passing(row: Row) {
        expect(row, isAll: true)
    }

    @Test(
        "A request that RFC 9112 does not allow is rejected in any pieces, and no later byte is passed on",
        arguments: refusedHeads + refusedFields + refusedLengths + refusedChunks)
    func refused(row: Row) {
        expect(row, isAll: false)
    }

    private func give(_ bytes: ArraySlice<UInt8>, to validator: inout RequestStreamValidator) -> Int {
        let bytes = Array(bytes)
        return validator.admit(bytes.span)
    }

    private func expect(_ row: Row, isAll: Bool) {
        let bytes = Array(row.bytes.utf8)
        let cuts = bytes.count < 300 ? Array(0...bytes.count) : [0, bytes.count / 2, bytes.count]
        for cut in cuts {
            var validator = RequestStreamValidator(limits: Self.limits)
            let passed = give(bytes[..<cut], to: &validator) + give(bytes[cut...], to: &validator)
            #expect(validator.completedRequests == row.passes, "cut at \(cut)")
            #expect(validator.problem?.status.code == row.status, "cut at \(cut)")
            #expect(isAll ? passed == bytes.count : passed < bytes.count, "cut at \(cut)")
            #expect(give([0x78], to: &validator) == 0 || isAll)
        }
        var single = RequestStreamValidator(limits: Self.limits)
        for byte in bytes { _ = give([byte], to: &single) }
        #expect(single.completedRequests == row.passes)
        #expect(single.problem?.status.code == row.status)
    }

    @Test("A complete request before a rejected one is passed on, and no byte of the rejected one")
    func cut() {
        var validator = RequestStreamValidator(limits: Self.limits)
        let bytes = Array((Self.get + "\r\nGET / HTTP/1.1\r\n:\r\n\r\n").utf8)
        #expect(give(bytes[...], to: &validator) == Self.get.utf8.count)
        #expect(validator.requestLines == 2)
        #expect(validator.problem?.detail == "a header field has no name")
    }

    @Test("A HEAD request is known as such from the end of its method to its own end")
    func headMethod() {
        for (bytes, isHead) in [
            ("HEAD", false), ("HEAD ", true), ("HEAD / HTTP/1.1\r\n:", true), (Self.get + "\r\nHEAD /\0", true),
            ("HEADS /", false), ("AHEAD /", false), ("XHEADHEAD /", false), ("HEA\0", false), ("HEAD\r", false),
            ("head /", false), ("GET /", false), ("HEAD / HTTP/1.1\r\n\r\n", false),
            ("HEAD / HTTP/1.1\r\n\r\nGET /", false),
        ] as [(String, Bool)] {
            var validator = RequestStreamValidator(limits: Self.limits)
            for byte in bytes.utf8 { _ = give([byte], to: &validator) }
            #expect(validator.isHead == isHead, "\(bytes.debugDescription)")
        }
    }

    @Test("It agrees with a strict reference parser about the ends of mutated requests")
    func mutations() {
        let seed = UInt64.random(in: 0..<1 << 32)
        var random = SplitMix64(seed: seed)
        let valid = Self.allowed.map(\.bytes).filter { !$0.isEmpty && $0.utf8.allSatisfy { $0 < 128 } }
        let bytes = Array("\r\n\0: \t;,=\"0159afAFX\u{b}".utf8)
        var refusals = 0
        let rounds = TestBuild.rounds(20_000)
        for round in 0..<rounds {
            var request = Array(valid[Int.random(in: valid.indices, using: &random)].utf8)
            request += Array(valid[Int.random(in: valid.indices, using: &random)].utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) where !request.isEmpty {
                let place = Int.random(in: request.indices, using: &random)
                let byte = bytes[Int.random(in: bytes.indices, using: &random)]
                switch Int.random(in: 0..<3, using: &random) {
                case 0: request[place] = byte
                case 1: request.insert(byte, at: place)
                default: request.remove(at: place)
                }
            }
            let reference = ReferenceRequests(request)
            var validator = RequestStreamValidator(limits: Self.limits)
            _ = give(request[...], to: &validator)
            let shown = Comment(
                rawValue: "seed \(seed), round \(round): \(String(decoding: request, as: UTF8.self).debugDescription)")
            #expect(validator.completedRequests == reference.complete, shown)
            if reference.rest == .malformed { #expect(validator.problem != nil, shown) }
            if validator.problem != nil {
                refusals += 1
                #expect(reference.rest != .nothing, shown)
            }
        }
        #expect(refusals > rounds / 20)
    }
}
