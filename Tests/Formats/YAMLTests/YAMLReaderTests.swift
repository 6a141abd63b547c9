import ErrandYAML
import Testing

@Suite("Reading YAML")
struct YAMLReaderTests {
    /// A text with its expected tree, as a compact line.
    struct Row: CustomTestStringConvertible {
        var yaml: String
        var tree: String
        var testDescription: String { yaml }
    }

    static let rows: [Row] = [
        Row(yaml: "", tree: "{}"),
        Row(yaml: "# nothing but a comment\n", tree: "{}"),
        Row(yaml: "---\n", tree: "null"),
        Row(yaml: "a: 1", tree: "{a: 1}"),
        Row(yaml: "%YAML 1.1\n---\na: 1\n...\n", tree: "{a: 1}"),
        Row(yaml: "\u{FEFF}a: 1", tree: "{a: 1}"),
        Row(yaml: "a: 1\r\nb: 2\r\n", tree: "{a: 1, b: 2}"),
        Row(yaml: "b: 1\na: 2\n", tree: "{b: 1, a: 2}"),
        Row(yaml: "a: 'it''s'\nb: \"tab\\t\"", tree: "{a: 'it's', b: 'tab\t'}"),
        Row(yaml: "a: |\n  one\n  two\n", tree: "{a: 'one\ntwo\n'}"),
        Row(yaml: "a: >-\n  one\n  two\n", tree: "{a: 'one two'}"),
        Row(yaml: "a: [1, [2, 3], {b: 4}]", tree: "{a: [1, [2, 3], {b: 4}]}"),
        Row(yaml: "- a\n- - b\n  - c\n", tree: "[a, [b, c]]"),
        Row(yaml: "a: ~\nb:\nc: null\nd: ''\ne: 'null'\n", tree: "{a: null, b: null, c: null, d: '', e: 'null'}"),
        Row(yaml: "a: !!str null\nb: ! ~\nc: !!map {}\nd: !!seq []", tree: "{a: 'null', b: '~', c: {}, d: []}"),
        Row(yaml: "? a\n: 1\n? b\n", tree: "{a: 1, b: null}"),
        Row(yaml: "a: &x 1\nb: *x\n", tree: "{a: 1, b: 1}"),
        Row(yaml: "a: &x {p: 1}\nb: &x {p: 2}\nc: *x", tree: "{a: {p: 1}, b: {p: 2}, c: {p: 2}}"),
        Row(yaml: "&k key: 1\nb: {*k : 2}", tree: "{key: 1, b: {key: 2}}"),
        Row(yaml: "a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3, r: 4}", tree: "{a: {p: 1, q: 2}, b: {q: 3, r: 4, p: 1}}"),
        Row(
            yaml: "a: &x {p: 1, q: 1}\nb: &y {q: 2, r: 2}\nc: {<<: [*x, *y], r: 3}",
            tree: "{a: {p: 1, q: 1}, b: {q: 2, r: 2}, c: {r: 3, p: 1, q: 1}}"),
        Row(
            yaml: "a: &x {p: 1}\nb: &y {<<: *x, q: 2}\nc: {<<: *y}",
            tree: "{a: {p: 1}, b: {q: 2, p: 1}, c: {q: 2, p: 1}}"),
        Row(yaml: "'<<': {p: 1}", tree: "{<<: {p: 1}}"),
        Row(yaml: "a: 1 # comment\n#b: 2\n", tree: "{a: 1}"),
        Row(yaml: "ключ: значение\n😀: 🎉", tree: "{ключ: значение, 😀: 🎉}"),
    ]

    @Test("A text is parsed into the expected tree", arguments: rows)
    func tree(row: Row) throws {
        let document = try YAMLReader.parse(Array(row.yaml.utf8))
        #expect(document.problems == [])
        #expect(Self.show(document.root) == row.tree)
    }

    @Test("Every key and value has its line and column, counted in Unicode scalars from one")
    func marks() throws {
        let text = "a:\n  é😀: &x 1\r\n  b: [2, \"3\"]\n  'c': |\n    text\n  d:\n  e: *x\n"
        let root = try YAMLReader.parse(Array(text.utf8)).root
        let a = try #require(root.mapping?["a"])
        #expect(a.keyMark == YAMLMark(line: 1, column: 1))
        #expect(a.value.mark == YAMLMark(line: 2, column: 3))
        let members = try #require(a.value.mapping?.members)
        #expect(members.map(\.keyMark?.description) == ["2:3", "3:3", "4:3", "6:3", "7:3"])
        #expect(members.map(\.value.mark?.description) == ["2:7", "3:6", "4:8", "6:5", "2:7"])
        #expect(root[YAMLPath([.key("a"), .key("b"), .index(1)])]?.mark == YAMLMark(line: 3, column: 10))
    }

    @Test("Keys are compared byte by byte, so that é and its decomposed form are different keys")
    func equivalentKeys() throws {
        let document = try YAMLReader.parse(Array(#"{"\u00E9": 1, "e\u0301": 2}"#.utf8))
        #expect(document.problems == [])
        let mapping = try #require(document.root.mapping)
        #expect(mapping.members.map { Array($0.key.utf8) } == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
        #expect(mapping["\u{E9}"].map { Self.show($0.value) } == "1")
        #expect(mapping["e\u{301}"].map { Self.show($0.value) } == "2")
    }

    @Test("Merged members keep the locations of their original mapping")
    func mergedMarks() throws {
        let root = try YAMLReader.parse(Array("a: &x\n  p: 1\nb:\n  <<: *x\n".utf8)).root
        let merged = try #require(root[YAMLPath(keys: ["b"])]?.mapping?["p"])
        #expect(merged.keyMark == YAMLMark(line: 2, column: 3))
        #expect(merged.value.mark == YAMLMark(line: 2, column: 6))
    }

    @Test("An unknown path finds no node")
    func noNode() throws {
        let root = try YAMLReader.parse(Array("a: [1]".utf8)).root
        #expect(root[YAMLPath(keys: ["b"])] == nil)
        #expect(root[YAMLPath([.key("a"), .index(1)])] == nil)
        #expect(root[YAMLPath([.key("a"), .key("b")])] == nil)
        #expect(root[YAMLPath([.index(0)])] == nil)
    }

    /// Returns a node in one line: quoted scalars in single quotes, nulls as `null`.
    static func show(_ node: YAMLNode) -> String {
        switch node.content {
        case .scalar(let scalar) where scalar.isNull: "null"
        case .scalar(let scalar): scalar.isQuoted ? "'\(scalar.text)'" : scalar.text
        case .sequence(let items): "[" + items.map(show).joined(separator: ", ") + "]"
        case .mapping(let mapping):
            "{" + mapping.members.map { "\($0.key): \(show($0.value))" }.joined(separator: ", ") + "}"
        }
    }
}
