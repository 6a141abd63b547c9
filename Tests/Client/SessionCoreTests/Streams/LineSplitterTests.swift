import Testing

@testable import ErrandSessionCore

@Suite("Content in lines")
struct LineSplitterTests {
    /// Returns the lines of content that comes in pieces, and `too long` for one that exceeds the limit.
    private func lines(_ pieces: [[UInt8]], maxBytes: Int = 1000) -> [String] {
        var splitter = LineSplitter(maxBytes: maxBytes)
        var (rest, lines) = (pieces[...], [String]())
        while true {
            switch splitter.next() {
            case .line(let bytes):
                lines.append(String(decoding: bytes, as: UTF8.self))
            case .wait:
                guard let piece = rest.popFirst() else {
                    splitter.finish()
                    continue
                }
                splitter.append(piece)
            case .tooLong:
                return lines + ["too long"]
            case .end:
                return lines
            }
        }
    }

    @Test(
        "ends a line with LF or CR LF, wherever the pieces end, and needs no end of the last line",
        arguments: [
            ([], []),
            ([""], []),
            (["a\nb\r\nc"], ["a", "b", "c"]),
            (["a\nb\n"], ["a", "b"]),
            (["a", "b\nc", "d", "\ne"], ["ab", "cd", "e"]),
            (["a\r", "\nb\r", "c\r\n"], ["a", "b\rc"]),
            (["a\r"], ["a\r"]),
            (["\n\n", "\r\n", "a\n\n"], ["", "", "", "a", ""]),
        ] as [([String], [String])])
    func pieces(pieces: [String], expected: [String]) {
        #expect(lines(pieces.map { Array($0.utf8) }) == expected)
        #expect(lines(pieces.joined().utf8.map { [$0] }) == expected)
    }

    @Test(
        "limits the bytes of a line without its end, also before that has come",
        arguments: [
            (["abc\n", "abc\r\n", "abc"], ["abc", "abc", "abc"]),
            (["abc\r", "\n"], ["abc"]),
            (["abc\r", "d"], ["too long"]),
            (["abc\r"], ["too long"]),
            (["abcd\n"], ["too long"]),
            (["a\nab", "cd"], ["a", "too long"]),
        ] as [([String], [String])])
    func limit(pieces: [String], expected: [String]) {
        #expect(lines(pieces.map { Array($0.utf8) }, maxBytes: 3) == expected)
    }

    @Test("allows only empty lines with a limit of zero or less", arguments: [0, -1, Int.min])
    func smallest(limit: Int) {
        #expect(lines([Array("\n\na".utf8)], maxBytes: limit) == ["", "", "too long"])
        #expect(lines([], maxBytes: limit) == [])
    }
}
