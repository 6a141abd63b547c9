import ResponseSerialization
import Testing

@Suite("The JSON response serializer")
struct JSONResponseSerializerTests {
    private func failure(_ content: [UInt8], _ serializer: JSONResponseSerializer = .json)
        -> ResponseSerializationError?
    {
        #expect(throws: ResponseSerializationError.self) { try serializer.text(content) }
    }

    @Test(
        "passes an object or array on byte for byte, without what is around it",
        arguments: [
            (
                #"{"id":12345678901234567890,"price":1.10,"a":null,"a":2}"#,
                #"{"id":12345678901234567890,"price":1.10,"a":null,"a":2}"#
            ),
            (" \r\n\t[1, 2.0e0]\n", "[1, 2.0e0]"), ("{}", "{}"), ("\u{FEFF}[]", "[]"),
            (#"["\u00e9\/\ud800"]"#, #"["\u00e9\/\ud800"]"#),
        ])
    func passesOn(content: String, expected: String) throws {
        #expect(try JSONResponseSerializer().text(content) == "json: \(expected)")
    }

    @Test("makes nothing of no bytes and of exactly one space", arguments: ["", " "])
    func nothing(content: String) throws {
        #expect(try JSONResponseSerializer().text(content) == "json")
    }

    @Test(
        "fails for other whitespace and for what is no JSON",
        arguments: ["  ", "\n", "\t", "{", "[1,]", "{} x", "nope"])
    func fails(content: String) {
        #expect(failure(Array(content.utf8))?.kind == .unparsable)
    }

    @Test("tells what is wrong and where, and nothing of the content")
    func message() {
        #expect(
            failure(Array(#"["secret" x]"#.utf8))?.message
                == "The content is no valid JSON: expected ',' or ']' at line 1, column 11")
    }

    @Test("fails for bytes that are no UTF-8")
    func notUTF8() {
        #expect(failure([0x5B, 0x22, 0xFF, 0x22, 0x5D])?.kind == .unparsable)
    }

    @Test("takes fragments only when it may", arguments: [#""a""#, "1", "true", "null"])
    func fragments(content: String) throws {
        #expect(failure(Array(content.utf8))?.kind == .unparsable)
        let options = ResponseSerializationOptions(removesNulls: true, json: JSONReadingOptions(allowsFragments: true))
        #expect(try JSONResponseSerializer(options).text(content) == "json: \(content)")
    }

    @Test("takes no deeper nesting than it may")
    func depth() throws {
        let options = ResponseSerializationOptions(json: JSONReadingOptions(maxDepth: 3))
        #expect(try JSONResponseSerializer(options).text("[[[]]]") == "json: [[[]]]")
        #expect(failure(Array("[[[[]]]]".utf8), .json(options))?.kind == .unparsable)
    }

    @Test("leaves nulls alone unless it is to remove them")
    func nulls() throws {
        #expect(try JSONResponseSerializer().text("[null]") == "json: [null]")
        let removing = JSONResponseSerializer(ResponseSerializationOptions(removesNulls: true))
        #expect(try removing.text(" [null] ") == "json: made anew: []")
        #expect(try removing.text(" [\"null\"] ") == "json: [\"null\"]", "nothing to remove: passed on")
    }
}
