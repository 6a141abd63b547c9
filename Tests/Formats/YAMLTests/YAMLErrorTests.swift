import ErrandYAML
import Testing

@Suite("YAML errors")
struct YAMLErrorTests {
    /// An invalid text with its expected error.
    struct Row: CustomTestStringConvertible {
        var bytes: [UInt8]
        var message: String
        init(_ yaml: String, _ message: String) { (bytes, self.message) = (Array(yaml.utf8), message) }
        init(_ bytes: [UInt8], _ message: String) { (self.bytes, self.message) = (bytes, message) }
        var testDescription: String { message }
    }

    static let fatal: [Row] = [
        Row("a: b: c", "1:5: mapping values are not allowed in this context"),
        Row("a: [1, 2", "2:1: did not find expected ',' or ']', while parsing a flow sequence that begins at 1:4"),
        Row("a: {b: 1\nc: 2", "2:2: did not find expected ',' or '}', while parsing a flow mapping that begins at 1:4"),
        Row("a: \"open", "1:9: found unexpected end of stream, while scanning a quoted scalar that begins at 1:4"),
        Row("a: 1\n b: 2\n", "2:3: mapping values are not allowed in this context"),
        Row("a:\n\tb: 1\n", "2:1: found a tab; indent with spaces, while scanning for the next token"),
        Row(
            "a:\n  b: 1\n\tc: 2\n",
            "3:1: found a tab character that violates indentation, while scanning a plain scalar that begins at 2:6"),
        Row("a:\n  b: [1]\n\tc: 2\n", "3:1: found a tab; indent with spaces, while scanning for the next token"),
        Row(
            "a: { b: ${X} }",
            "1:10: found ${ in braces or brackets; put the value into quotes, as in \"${NAME}\", "
                + "while parsing a flow mapping that begins at 1:4"),
        Row(
            "a:\n  - [1, x${Y:-z}]",
            "2:11: found ${ in braces or brackets; put the value into quotes, as in \"${NAME}\", "
                + "while parsing a flow sequence that begins at 2:5"),
        Row("a: */5 * * * *", "1:4: found an invalid alias; quote text that begins with *"),
        Row("a: * * * * *", "1:4: found an invalid alias; quote text that begins with *"),
        Row("b: 1\na: [*/5]", "2:5: found an invalid alias; quote text that begins with *"),
        Row("a: &/5", "1:4: found an invalid anchor; quote text that begins with &"),
        Row("a: @daily", "1:4: found @; quote text that begins with @"),
        Row("é: [b, @c]", "1:8: found @; quote text that begins with @"),
        Row("a: `b`", "1:4: found `; quote text that begins with `"),
        Row("a: %b", "1:4: found %; quote text that begins with %"),
        Row("a: [>5]", "1:5: found >; quote text that begins with >"),
        Row("a: [|b]", "1:5: found |; quote text that begins with |"),
        Row("a: !b^c", "1:4: tags are not supported; quote text that begins with !"),
        Row("a: !b%zz", "1:4: tags are not supported; quote text that begins with !"),
        Row("a: \"\\q\"", "1:5: found unknown escape character, while parsing a quoted scalar that begins at 1:4"),
        Row([0x61, 0x3A, 0x20, 0xFF], "1:4: the text is not valid UTF-8 here"),
        Row([0x61, 0x3A, 0x0A, 0x20, 0xC3, 0xA9, 0xC0, 0x80], "2:3: the text is not valid UTF-8 here"),
        Row([0x0D, 0x0A, 0xED, 0xA0, 0x80], "2:1: the text is not valid UTF-8 here"),
        Row([0x61, 0x0D, 0x62, 0xE2, 0x82], "2:2: the text is not valid UTF-8 here"),
        Row([0xFF, 0xFE, 0x61, 0x00], "1:1: the text is UTF-16; expected UTF-8"),
        Row([0xFE, 0xFF, 0x00, 0x61], "1:1: the text is UTF-16; expected UTF-8"),
        Row([0x61, 0x00, 0x3A, 0x00], "1:1: the text is UTF-16; expected UTF-8"),
        Row("a: 1\nb: \u{0}", "2:4: the character U+0000 is not allowed"),
        Row("a: \u{1B}[31m", "1:4: the character U+001B is not allowed"),
        Row("a: \u{FEFF}b", "1:4: the character U+FEFF is not allowed"),
        Row("a: *x", "1:4: a: the alias has no anchor before it; quote text that begins with *"),
        Row("a: &x [*x]", "1:8: a[0]: the alias *x refers to a node that contains it"),
        Row("a: &x {b: {<<: *x}}", "1:16: a.b.\"<<\": the alias *x refers to a node that contains it"),
        Row("[a]: 1", "1:1: a key must be text"),
        Row("a: {? {b: c} : 1}", "1:7: a: a key must be text"),
        Row("a: 1\n---\nb: 2\n", "2:1: a second document begins here; expected only one"),
        Row("a: 1\n...\n---\n", "3:1: a second document begins here; expected only one"),
        Row("%YAML 3.0\n---\na: 1", "1:1: found incompatible YAML document"),
        Row("a: !x!y z", "1:4: tags are not supported; quote text that begins with !"),
    ]

    @Test("Invalid YAML is rejected with the location", arguments: fatal)
    func refused(row: Row) {
        let error = #expect(throws: YAMLError.self) { try YAMLReader.parse(row.bytes) }
        #expect(error?.description == row.message)
    }

    static let collected: [(String, [String])] = [
        ("a: 1\nb: 2\na: 3", ["3:1: a: duplicate key; first used at 1:1"]),
        (
            "a: {b: 1, \"b\": 2}\nc: {d: 1, d: 2}",
            [
                "1:11: a.b: duplicate key; first used at 1:5", "2:11: c.d: duplicate key; first used at 2:5",
            ]
        ),
        ("a: &x {p: 1}\nb: {<<: *x, <<: *x}", ["2:13: b.\"<<\": duplicate key; first used at 2:5"]),
        (
            "a: !secret x\nb: !!int 5\nc: !!binary aGk=",
            [
                "1:4: a: tags are not supported; quote text that begins with !",
                "2:4: b: the tag \"!!int\" is not supported",
                "3:4: c: the tag \"!!binary\" is not supported",
            ]
        ),
        ("a: !!map []", ["1:4: a: the tag \"!!map\" is not supported"]),
        (
            "a: !!hunter2\nb: !!integer 5\nc: !<tag:yaml.org,2002:hunter2> x",
            [
                "1:4: a: tags are not supported; quote text that begins with !",
                "2:4: b: tags are not supported; quote text that begins with !",
                "3:4: c: tags are not supported; quote text that begins with !",
            ]
        ),
        ("a: {<<: 5}", ["1:9: a: << takes a mapping or a list of mappings"]),
        ("a: &x {p: 1}\nb: {<<: [*x, 5]}", ["2:14: b: << takes a mapping or a list of mappings"]),
    ]

    @Test("Problems that do not end parsing are all reported", arguments: collected)
    func problems(yaml: String, messages: [String]) throws {
        #expect(try YAMLReader.parse(Array(yaml.utf8)).problems.map(\.description) == messages)
    }

    @Test("The tree has the first of duplicate keys")
    func duplicate() throws {
        let root = try YAMLReader.parse(Array("a: 1\na: 2".utf8)).root
        #expect(YAMLReaderTests.show(root) == "{a: 1}")
    }
}
