import ErrandJSON
import Testing

@Suite("JSON pointers")
struct JSONPointerTests {
    /// The document and the table of RFC 6901 §5.
    static let document =
        #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#
    static let rows: [(tokens: [String], text: String, value: String)] = [
        (["foo", "0"], "/foo/0", "\"bar\""), ([""], "/", "0"), (["a/b"], "/a~1b", "1"), (["c%d"], "/c%d", "2"),
        (["e^f"], "/e^f", "3"), (["g|h"], "/g|h", "4"), (["i\\j"], "/i\\j", "5"), (["k\"l"], "/k\"l", "6"),
        ([" "], "/ ", "7"), (["m~n"], "/m~0n", "8"),
    ]

    @Test("Pointers are written and resolved as in RFC 6901", arguments: rows)
    func follows(tokens: [String], text: String, value: String) throws {
        let document = try JSONDocument.parse(Array(Self.document.utf8))
        let pointer = JSONPointer(tokens)
        #expect(pointer.description == text)
        let found = try #require(pointer.value(in: document.root))
        #expect(String(decoding: document.slice(of: found), as: UTF8.self) == value)
    }

    @Test("The empty pointer is the whole document")
    func whole() throws {
        let value = try root(Self.document)
        #expect(JSONPointer().description == "")
        #expect(JSONPointer().value(in: value) == value)
    }

    @Test("A pointer that is too long is truncated at a whole character, with an ellipsis")
    func shortened() {
        #expect(JSONPointer(["abc", "d"]).text(limit: 6) == "/abc/d")
        #expect(JSONPointer(["abc", "de"]).text(limit: 6) == "/abc/d…")
        #expect(JSONPointer(["éé"]).text(limit: 4) == "/é…")
        #expect(JSONPointer([String(repeating: "~", count: 100_000)]).text(limit: 5) == "/~0~0…")
    }

    @Test("A tilde is escaped before a slash")
    func escapes() {
        #expect(JSONPointer(["~1/~0"]).description == "/~01~1~00")
        #expect(JSONPointer().appending("a~/").appending(3).appending("").description == "/a~0~1/3/")
    }

    @Test(
        "A missing value is nil",
        arguments: [
            ["bar"], ["foo", "2"], ["foo", "-"], ["foo", "-1"], ["foo", "-0"], ["foo", "+1"], ["foo", "01"],
            ["foo", "00"], ["foo", ""], ["foo", " 1"], ["foo", "1 "], ["foo", "99999999999999999999"],
            ["foo", "0", "0"],
            ["foo", "x"], ["", "0"], ["Foo"],
        ])
    func missing(tokens: [String]) throws {
        #expect(JSONPointer(tokens).value(in: try root(Self.document)) == nil)
    }

    @Test("An object's member may have a number for a name")
    func numericName() throws {
        #expect(JSONPointer(["0", "01"]).value(in: try root(#"{"0":{"01":"x"}}"#))?.string == "x")
    }
}
