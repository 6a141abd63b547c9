import ErrandJSON
import Testing

@Suite("JSONDocument: replacing members")
struct JSONDocumentReplacingTests {
    private func replacing(_ text: String, _ changes: [(name: String, value: [UInt8]?)]) throws -> String {
        let document = try JSONDocument.parse(Array(text.utf8))
        let object = try #require(document.root.object)
        return String(decoding: document.replacing(changes, in: object), as: UTF8.self)
    }

    @Test("Unchanged values keep their bytes, changed ones are last, and removed ones are gone")
    func changes() throws {
        let text = #"{ "a" : {"x":  1.10, "x":2} , "b":1,"c":"\u0041" }"#
        #expect(
            try replacing(text, [("b", Array("[true]".utf8)), ("d", Array("null".utf8)), ("none", nil)])
                == #"{"a":{"x":  1.10, "x":2},"c":"\u0041","b":[true],"d":null}"#)
        #expect(try replacing(text, [("a", nil), ("b", nil), ("c", nil)]) == "{}")
    }

    @Test("A name is compared with its escapes resolved, and every member of it is replaced")
    func names() throws {
        #expect(try replacing(#"{"\u0061":1,"a":2}"#, [("a", Array("3".utf8))]) == #"{"a":3}"#)
    }
}
