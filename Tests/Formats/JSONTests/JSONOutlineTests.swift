import ErrandJSON
import Testing

@Suite("JSONOutline")
struct JSONOutlineTests {
    private func parts(_ text: String, maxParts: Int = 100) throws -> [String]? {
        let bytes = Array(text.utf8)
        return try JSONOutline.of(bytes, maxParts: maxParts)?.parts.map { part in
            let name = part.name.map { String(decoding: bytes[$0], as: UTF8.self) + "=" } ?? ""
            return name + String(decoding: bytes[part.value], as: UTF8.self)
        }
    }

    @Test(
        "The parts are the values with their names, without surrounding whitespace",
        arguments: [
            ("[]", []), (" { } ", []), ("[1]", ["1"]),
            ("[ [1, 2] , {\"a\":[]} ,null]", ["[1, 2]", "{\"a\":[]}", "null"]),
            ("{\"a\" : 1 ,\"b,}\":\"]}\", \"a\":{}}", ["\"a\"=1", "\"b,}\"=\"]}\"", "\"a\"={}"]),
            ("\u{FEFF}[\"\\\"\", -1.5e3]", ["\"\\\"\"", "-1.5e3"]),
        ] as [(String, [String])])
    func parts(text: String, expected: [String]) throws {
        #expect(try parts(text) == expected)
    }

    @Test("A scalar has no parts", arguments: ["1", "\"[]\"", "null", " true "])
    func scalars(text: String) throws {
        #expect(try parts(text) == nil)
    }

    @Test("Parts beyond the limit are counted and not kept")
    func limit() throws {
        let outline = try #require(try JSONOutline.of(Array("[1,2,3,4]".utf8), maxParts: 2))
        #expect(outline.parts.count == 2)
        #expect(outline.count == 4)
    }

    @Test("The outline of a part is found in the same text")
    func nested() throws {
        let bytes = Array(#"{"tasks": [{"a":1}, [2]]}"#.utf8)
        let outer = try #require(try JSONOutline.of(bytes, maxParts: 9))
        let inner = try #require(try JSONOutline.of(outer.parts[0].value, in: bytes, maxParts: 9))
        #expect(!inner.isObject)
        #expect(inner.parts.map { String(decoding: bytes[$0.value], as: UTF8.self) } == [#"{"a":1}"#, "[2]"])
    }

    @Test(
        "Invalid JSON, and nesting that is too deep, is an error anywhere",
        arguments: ["", "[1,]", "{\"a\"}", "[1] 2", "[{\"a\":[[1]]}]", "[1", "{\"a\":tru}", "[\"\u{1}\"]"])
    func malformed(text: String) {
        #expect(throws: JSONSyntaxError.self) {
            try JSONOutline.of(Array(text.utf8), limits: JSONLimits(maxDepth: 3), maxParts: 1)
        }
    }
}
