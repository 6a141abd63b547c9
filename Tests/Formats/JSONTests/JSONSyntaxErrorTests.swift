import ErrandJSON
import Testing

@Suite("JSON syntax errors")
struct JSONSyntaxErrorTests {
    struct Row: CustomTestStringConvertible {
        var text: String
        var reason: JSONSyntaxError.Reason
        var offset: Int
        init(_ text: String, _ reason: JSONSyntaxError.Reason, at offset: Int) {
            (self.text, self.reason, self.offset) = (text, reason, offset)
        }
        var testDescription: String { "\(text) \(reason)" }
    }

    static let rows: [Row] = [
        Row("", .empty, at: 0),
        Row(" \n", .empty, at: 2),
        Row("\u{FEFF}", .empty, at: 3),
        Row("[1", .unexpectedEnd, at: 2),
        Row("[1,", .unexpectedEnd, at: 3),
        Row("{\"a\"", .unexpectedEnd, at: 4),
        Row("{\"a\":", .unexpectedEnd, at: 5),
        Row("\"a", .unexpectedEnd, at: 2),
        Row("\"\\u00", .unexpectedEnd, at: 5),
        Row("-", .unexpectedEnd, at: 1),
        Row("1e", .unexpectedEnd, at: 2),
        Row("tru", .unexpectedEnd, at: 3),
        Row("x", .expectedValue, at: 0),
        Row("nil", .expectedValue, at: 1),
        Row("[,1]", .expectedValue, at: 1),
        Row("{\"a\":}", .expectedValue, at: 5),
        Row("[\u{0}]", .expectedValue, at: 1),
        Row("{a:1}", .expectedName, at: 1),
        Row("{'a':1}", .expectedName, at: 1),
        Row("{\"a\":1,1}", .expectedName, at: 7),
        Row("{\"a\" 1}", .expectedColon, at: 5),
        Row("{\"a\":1 \"b\":2}", .expectedCommaOrBrace, at: 7),
        Row("{\"a\":1]", .expectedCommaOrBrace, at: 6),
        Row("[1 2]", .expectedCommaOrBracket, at: 3),
        Row("[1}", .expectedCommaOrBracket, at: 2),
        Row("[1,]", .trailingComma, at: 3),
        Row("{\"a\":1,}", .trailingComma, at: 7),
        Row("1 2", .trailingContent, at: 2),
        Row("[]]", .trailingContent, at: 2),
        Row("01", .badNumber, at: 1),
        Row("-a", .badNumber, at: 1),
        Row("1.x", .badNumber, at: 2),
        Row("1e+]", .badNumber, at: 3),
        Row(#""\x""#, .badEscape, at: 2),
        Row(#""\u00g0""#, .badEscape, at: 5),
        Row("\"a\nb\"", .controlCharacter, at: 2),
        Row("{\"\t\":1}", .controlCharacter, at: 2),
    ]

    @Test("The parser and the validator give the same reason at the same byte", arguments: rows)
    func reason(row: Row) {
        let bytes = Array(row.text.utf8)
        for error in [parsingError(bytes), validationError(bytes)] {
            #expect(error?.reason == row.reason)
            #expect(error?.offset == row.offset)
            #expect(error?.position == JSONPosition(offset: row.offset, in: bytes))
        }
    }

    @Test("An unpaired surrogate is reported at the start of its escape")
    func loneSurrogate() {
        let error = parsingError(Array(#""é\ud800\n""#.utf8))
        #expect(error?.reason == .loneSurrogate)
        #expect(error?.offset == 3)
        #expect(error?.position.column == 3)
    }

    @Test("A description has the reason and the position, and none of the text")
    func description() {
        let error = parsingError(Array("{\n  \"token\": secret}".utf8))
        #expect(error?.description == "expected a value at line 2, column 12")
    }

    @Test("Every reason has a distinct message")
    func messages() {
        let messages = JSONSyntaxError.Reason.allCases.map(\.message)
        #expect(Set(messages).count == messages.count)
        #expect(messages.allSatisfy { !$0.isEmpty && !$0.hasSuffix(".") })
    }
}
