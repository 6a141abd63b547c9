import ErrandJSON
import Testing

@Suite("Documents")
struct JSONDocumentTests {
    @Test("Values keep their bytes: great integers, trailing zeros, nulls and repeated names")
    func slices() throws {
        let text = #"{"id":12345678901234567890,"price":1.10,"a":null,"a":2}"#
        let document = try JSONDocument.parse(Array(text.utf8))
        let object = try #require(document.root.object)
        #expect(document.slice(of: document.root) == text.utf8.map { $0 }[...])
        #expect(object.members.map(\.key) == ["id", "price", "a", "a"])
        let slices = object.members.map { String(decoding: document.slice(of: $0.value), as: UTF8.self) }
        #expect(slices == ["12345678901234567890", "1.10", "null", "2"])
        let keys = object.members.map { String(decoding: document.bytes[$0.keyRange], as: UTF8.self) }
        #expect(keys == [#""id""#, #""price""#, #""a""#, #""a""#])
        #expect(object["a"]?.isNull == true)
        #expect(object.repeatedMembers.map(\.value.kind) == [.number(JSONNumber(lexeme: "2"))])
    }

    @Test("A slice has no surrounding whitespace and no byte order mark")
    func padding() throws {
        let document = try JSONDocument.parse(Array("\u{FEFF}\r\n [ 1 , \"é\\n\" ]\t".utf8))
        #expect(String(decoding: document.slice(of: document.root), as: UTF8.self) == "[ 1 , \"é\\n\" ]")
        let items = try #require(document.root.array)
        #expect(items.map { String(decoding: document.slice(of: $0), as: UTF8.self) } == ["1", "\"é\\n\""])
    }

    @Test("The range of another document's value is clamped")
    func foreignValue() throws {
        let document = try JSONDocument.parse(Array("[1]".utf8))
        #expect(document.slice(of: JSONValue(.null, range: 1..<100)) == Array("1]".utf8)[...])
        #expect(document.slice(of: JSONValue(.null, range: 50..<100)).isEmpty)
    }

    @Test("A document returns the positions of bytes")
    func position() throws {
        let document = try JSONDocument.parse(Array("[1,\n 22]".utf8))
        let item = try #require(document.root.array?.last)
        #expect(document.position(of: item.range.lowerBound).description == "line 2, column 2")
    }
}
