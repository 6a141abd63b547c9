import SessionCore
import Testing
import Transfer

@Suite("The JSON response serializer")
struct JSONResponseSerializerTests {
    let head = ResponseHead(status: 200)

    private func slice(_ text: String, _ serializer: JSONResponseSerializer) throws -> String? {
        let content = Array(text.utf8)
        return switch try serializer.serialize(content, of: head) {
        case .none: nil
        case .slice(let range): String(decoding: content[range], as: UTF8.self)
        case .json(let bytes): "made anew: \(bytes)"
        }
    }

    @Test(
        "passes an object or array on byte for byte, without what is around it",
        arguments: [
            (
                #"{"id":12345678901234567890,"price":1.10,"a":null,"a":2}"#,
                #"{"id":12345678901234567890,"price":1.10,"a":null,"a":2}"#
            ),
            (" \r\n\t[1, 2.0e0]\n", "[1, 2.0e0]"), ("{}", "{}"), ("\u{FEFF}[]", "[]"),
            (#"["\u00e9\/"]"#, #"["\u00e9\/"]"#),
        ])
    func passesOn(content: String, expected: String) throws {
        #expect(try slice(content, .json) == expected)
    }

    @Test("makes nothing of no bytes and of exactly one space", arguments: ["", " "])
    func nothing(content: String) throws {
        #expect(try slice(content, .json) == nil)
    }

    @Test(
        "fails for other whitespace and for what is no JSON",
        arguments: ["  ", "\n", "\t", "{", "[1,]", "{} x", "nope"])
    func fails(content: String) {
        let error = #expect(throws: SessionError.self) { try slice(content, .json) }
        #expect(error?.code == .unparsableBody)
    }

    @Test("fails for bytes that are no UTF-8")
    func notUTF8() {
        let error = #expect(throws: SessionError.self) {
            try JSONResponseSerializer().serialize(Array("[\"".utf8) + [0xFF] + Array("\"]".utf8), of: head)
        }
        #expect(error?.code == .unparsableBody)
    }

    @Test("takes fragments only when it may", arguments: [#""a""#, "1", "true", "null"])
    func fragments(content: String) throws {
        let error = #expect(throws: SessionError.self) { try slice(content, .json) }
        #expect(error?.code == .unparsableBody)
        #expect(try slice(content, .json(.init(allowsFragments: true))) == content)
    }

    @Test("takes no deeper nesting than it may")
    func depth() throws {
        let serializer = JSONResponseSerializer(.init(maxDepth: 3))
        #expect(try slice("[[[]]]", serializer) == "[[[]]]")
        let error = #expect(throws: SessionError.self) { try slice("[[[[]]]]", serializer) }
        #expect(error?.code == .unparsableBody)
    }

    @Test("accepts the JSON types")
    func contentTypes() {
        #expect(
            JSONResponseSerializer().acceptableContentTypes?.map(\.description)
                == ["application/json", "text/json", "text/javascript"])
    }
}
