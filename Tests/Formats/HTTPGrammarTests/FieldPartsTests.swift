import ErrandHTTPGrammar
import Testing

@Suite("Parts of a header field")
struct FieldPartsTests {
    @Test(
        "are divided at each separator that is not in a quoted string",
        arguments: [
            ("", [""]), ("a", ["a"]), ("a,b", ["a", "b"]), (" a\t, b ", ["a", "b"]), (",a,", ["", "a", ""]),
            (#"a="b,c", d"#, [#"a="b,c""#, "d"]), (#""a, b""#, [#""a, b""#]),
            (#"a="b\",c",d"#, [#"a="b\",c""#, "d"]), (#"a="\\",d"#, [#"a="\\""#, "d"]),
            ("a;b,c;d", ["a;b", "c;d"]), ("ä,ö", ["ä", "ö"]), ("a,\u{301}b", ["a", "\u{301}b"]),
        ] as [(String, [String])])
    func parts(text: String, parts: [String]) {
        let found = FieldParts.split(text[...], at: UInt8(ascii: ","))
        // Byte by byte, as a comma and a combining character after it are one character.
        #expect(found?.map { Array($0.utf8) } == parts.map { Array($0.utf8) })
    }

    @Test("are divided at any separator, and within a part")
    func separator() {
        #expect(FieldParts.split(#"a;b="c;d""#, at: UInt8(ascii: ";")) == ["a", #"b="c;d""#])
        let list = "a;b, c"
        #expect(FieldParts.split(list.dropFirst(5), at: UInt8(ascii: ";")) == ["c"])
    }

    @Test("are none if a quoted string does not end", arguments: ["\"", #"a,"b"#, #"a="b\""#, #""a","b"#])
    func unfinished(text: String) {
        #expect(FieldParts.split(text[...], at: UInt8(ascii: ",")) == nil)
    }
}
