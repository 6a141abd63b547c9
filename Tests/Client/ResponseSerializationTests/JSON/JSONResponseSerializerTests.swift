import ErrandResponseSerialization
import Testing

@Suite("The JSON response serializer")
struct JSONResponseSerializerTests {
    private func failure(_ content: [UInt8], _ serializer: JSONResponseSerializer = .json)
        -> ResponseSerializationError?
    {
        #expect(throws: ResponseSerializationError.self) { try serializer.text(content) }
    }

    @Test(
        "passes on an object or array byte for byte, without the bytes around it",
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

    @Test("returns no object for empty content and for exactly one space", arguments: ["", " "])
    func nothing(content: String) throws {
        #expect(try JSONResponseSerializer().text(content) == "json")
    }

    @Test(
        "fails for other white space and invalid JSON",
        arguments: ["  ", "\n", "\t", "{", "[1,]", "{} x", "nope"])
    func fails(content: String) {
        #expect(failure(Array(content.utf8))?.kind == .unparsable)
    }

    @Test("reports the error and its position, and nothing of the content")
    func message() {
        #expect(
            failure(Array(#"["secret" x]"#.utf8))?.message
                == "The content is not valid JSON: expected ',' or ']' at line 1, column 11")
    }

    @Test("fails for invalid UTF-8")
    func notUTF8() {
        #expect(failure([0x5B, 0x22, 0xFF, 0x22, 0x5D])?.kind == .unparsable)
    }

    @Test("accepts fragments only if allowed", arguments: [#""a""#, "1", "true", "null"])
    func fragments(content: String) throws {
        #expect(failure(Array(content.utf8))?.kind == .unparsable)
        let options = ResponseSerializationOptions(removesNulls: true, json: JSONReadingOptions(allowsFragments: true))
        #expect(try JSONResponseSerializer(options).text(content) == "json: \(content)")
    }

    @Test("accepts only the allowed nesting depth")
    func depth() throws {
        let options = ResponseSerializationOptions(json: JSONReadingOptions(maxDepth: 3))
        #expect(try JSONResponseSerializer(options).text("[[[]]]") == "json: [[[]]]")
        #expect(failure(Array("[[[[]]]]".utf8), .json(options))?.kind == .unparsable)
    }

    @Test("removes nulls only on demand")
    func nulls() throws {
        #expect(try JSONResponseSerializer().text("[null]") == "json: [null]")
        let removing = JSONResponseSerializer(ResponseSerializationOptions(removesNulls: true))
        #expect(try removing.text(" [null] ") == "json: made anew: []")
        #expect(try removing.text(" [\"null\"] ") == "json: [\"null\"]", "nothing to remove: passed on")
    }
}
