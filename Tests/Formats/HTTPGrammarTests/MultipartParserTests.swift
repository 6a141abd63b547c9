import Testing

@testable import ErrandHTTPGrammar

@Suite("A parser of multipart forms")
struct MultipartParserTests {
    private typealias Event = MultipartParser.Event

    /// A part as a whole.
    private struct Part: Hashable {
        var head: MultipartPartHead
        var content: [UInt8] = []
        var isEnded = false
    }

    private static let head = "Content-Disposition: form-data; name=\"task\"\r\n\r\n"

    /// Parses a body in pieces of a size.
    private func parts(
        _ body: [UInt8], boundary: String = "B", pieceBytes: Int = .max
    ) throws(MultipartFault) -> [Part] {
        guard var parser = MultipartParser(boundary: boundary) else { throw MultipartFault(at: -1, "no boundary") }
        var parts: [Part] = []
        var start = 0
        while start < body.count {
            let end = body.count - start <= pieceBytes ? body.count : start + pieceBytes
            for event in try parser.parse(Array(body[start..<end])) {
                switch event {
                case .begin(let head): parts.append(Part(head: head))
                case .content(let bytes): parts[parts.count - 1].content += bytes
                case .end: parts[parts.count - 1].isEnded = true
                }
            }
            start = end
        }
        try parser.finish()
        return parts
    }

    private func fault(_ body: String) -> MultipartFault? {
        do throws(MultipartFault) {
            _ = try parts(Array(body.utf8))
            return nil
        } catch {
            return error
        }
    }

    /// Contents that resemble a delimiter.
    private static let samples = [
        "", "x", "\r", "\n", "\r\n", "\r\n-", "\r\n--", "\r\r\n--", "\r\n--C", "--B", "\r\n-B", "a\r\n--\r\n--\r\n--b",
        "\r\n\r\n\r\n", "\r\n--\r\n--B".replacing("B", with: "b"), "\u{0}\u{1}é",
    ]

    @Test("gives the heads and contents of the parts, whatever the contents are", arguments: samples)
    func contents(content: String) throws {
        let body = "--B\r\n\(Self.head)\(content)\r\n--B\r\nA: 1\r\n\(Self.head)\(content)\r\n--B--\r\n"
        let part = Part(head: MultipartPartHead(name: "task"), content: Array(content.utf8), isEnded: true)
        #expect(try parts(Array(body.utf8)) == [part, part])
    }

    @Test("gives the same parts however the bytes arrive")
    func pieces() throws {
        let parted = Self.samples.map { "\(Self.head)\($0)\r\n" }.joined(separator: "--B \t\r\n")
        let body = Array("--B\r\n\(parted)--B--".utf8)
        let whole = try parts(body)
        #expect(whole.map(\.content) == Self.samples.map { Array($0.utf8) })
        for size in 1...body.count { #expect(try parts(body, pieceBytes: size) == whole, "pieces of \(size) bytes") }
        for split in 1..<body.count {
            var parser = try #require(MultipartParser(boundary: "B"))
            let events = try parser.parse(Array(body[..<split])) + parser.parse(Array(body[split...]))
            try parser.finish()
            let bytes = events.reduce(into: [UInt8]()) { bytes, event in
                if case .content(let more) = event { bytes += more }
            }
            #expect(bytes == Array(Self.samples.joined().utf8), "divided after \(split) bytes")
        }
    }

    @Test("reads the name and the type of a part")
    func heads() throws {
        let fields = """
            content-disposition:form-data;filename="a;b";name=content\r
            CONTENT-TYPE: text/plain; charset=utf-8 \r
            Content-Transfer-Encoding: Binary\r
            X-Other: 1\r\n\r\n
            """
        let found = try parts(Array("--B\r\n\(fields)\r\n--B--\r\n".utf8))
        #expect(found.map(\.head) == [MultipartPartHead(name: "content", contentType: "text/plain; charset=utf-8")])
    }

    @Test(
        "rejects other bodies, with the place of the fault",
        arguments: [
            ("", 0, "before its first part"), ("-", 1, "before its first part"),
            ("hello\r\n--B\r\n", 0, "no preamble"), ("\r\n--B\r\n", 0, "no preamble"), ("--C\r\n", 2, "no preamble"),
            ("--Bx", 3, "expected CR LF"), ("--B-x", 4, "two hyphens"), ("--B\rx", 4, "LF after CR"),
            ("--B\n", 3, "expected CR LF"), ("--B \n", 4, "expected CR LF"),
            ("--B--x", 5, "no epilogue"), ("--B--\r\n\r", 7, "no epilogue"), ("--B--\r", 6, "ends with CR"),
            ("--B\r\nA: 1\n", 9, "LF alone"), ("--B\r\n\n", 5, "LF alone"),
            ("--B\r\n\r\n", 6, "no Content-Disposition"),
            ("--B\r\n A: 1\r\n\r\n", 13, "no header field"), ("--B\r\nA\r\n\r\n", 9, "no header field"),
            ("--B\r\nA: \u{1}\r\n\r\n", 12, "control characters"), ("--B\r\nA: \r1\r\n\r\n", 13, "control characters"),
            ("--B\r\nContent-Disposition: attachment; name=a\r\n\r\n", 47, "not form-data"),
            ("--B\r\nContent-Disposition: form-data\r\n\r\n", 38, "one name"),
            ("--B\r\nContent-Disposition: form-data; name=a; name=b\r\n\r\n", 54, "one name"),
            ("--B\r\nContent-Type: a/b\r\ncontent-type: a/b\r\n\r\n", 44, "more than once"),
            (
                "--B\r\nContent-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64\r\n\r\n", 81,
                #"the part "a""#
            ),
            ("--B", 3, "the head of a part"), ("--B\r\nA", 6, "the head of a part"),
            ("--B\r\n\(head)x", 53, #"the part "task""#), ("--B\r\n\(head)x\r\n--B", 58, "the head of a part"),
        ])
    func faults(body: String, offset: Int64, detail: String) throws {
        let found = try #require(fault(body))
        #expect(found.offset == offset)
        #expect(found.detail.contains(detail), "\(found)")
        #expect(found.description == "byte \(offset): \(found.detail)")
    }

    @Test("keeps no more than a head of limited length")
    func limit() throws {
        let long = "--B\r\nA: " + String(repeating: "x", count: MultipartParser.maxHeadBytes)
        let found = try #require(fault(long))
        #expect(found.offset == Int64(5 + MultipartParser.maxHeadBytes))
        #expect(found.detail == "the head of a part is longer than 8192 bytes")
    }

    @Test("gives the same fault again after a fault")
    func again() throws {
        var parser = try #require(MultipartParser(boundary: "B"))
        #expect(throws: MultipartFault.self) { try parser.parse(Array("x".utf8)) }
        #expect(throws: MultipartFault.self) { try parser.parse(Array("--B--".utf8)) }
        #expect(throws: MultipartFault.self) { try parser.finish() }
    }

    @Test("exists for the boundaries of RFC 2046 only")
    func boundaries() {
        for boundary in ["", " ", "a ", "a\r", "é", "a\"b", "[", String(repeating: "x", count: 71)] {
            #expect(MultipartParser(boundary: boundary) == nil, "\(boundary)")
        }
        for boundary in ["a", "a b", "'()+_,-./:=?", String(repeating: "x", count: 70)] {
            #expect(MultipartParser(boundary: boundary) != nil, "\(boundary)")
        }
    }
}
