import ErrandYAML
import Testing

@Suite("Writing YAML")
struct YAMLWriterTests {
    @Test("A tree is written in block style, short lists in one line")
    func style() {
        let long = (0..<30).map { YAMLNode.plain("item-\($0)") }
        let node = YAMLNode.mapping([
            ("name", .plain("value")),
            ("text", .quoted("value")),
            ("nothing", .null),
            ("list", .sequence([.plain("a"), .plain("b c")])),
            ("empty", .mapping([])),
            ("none", .sequence([])),
            ("nested", .mapping([("deeper", .mapping([("x", .plain("1"))]))])),
            (
                "maps",
                .sequence([.mapping([("a", .plain("1")), ("b", .mapping([("c", .plain("2"))]))]), .mapping([])])
            ),
            ("long", .sequence(Array(long.prefix(2)))),
        ])
        #expect(
            YAMLWriter.text(of: node) == """
                name: value
                text: "value"
                nothing: null
                list: [a, "b c"]
                empty: {}
                none: []
                nested:
                  deeper:
                    x: 1
                maps:
                  - a: 1
                    b:
                      c: 2
                  - {}
                long: [item-0, item-1]

                """)
        #expect(YAMLWriter.text(of: .mapping([("l", .sequence(long))])).hasPrefix("l:\n  - item-0\n  - item-1\n"))
    }

    static let texts = [
        "", "null", "~", "true", "a", "a b", " a", "a ", "-", "- a", "--- a", "...", ".", "a:", "a: b", "a:b", "a #b",
        "#a",
        "http://127.0.0.1:8080/?a=b&c", "[a]", "{a}", "a, b", "&a", "*a", "!a", "|", ">", "'a'", "\"a\"", "a\\b", "%a",
        "@a",
        "`a`", "?", "? a", "a\nb", "a\r\nb", "\ta", "\u{0}", "\u{1B}[0m", "\u{7F}", "\u{85}", "\u{2028}", "\u{FEFF}",
        "é😀",
        "\u{202E}abc", "\u{10FFFF}", "<<", "=", "1.10", "0x1F", "12:30:45", "2026-11-21",
        String(repeating: "long ", count: 500),
    ]

    @Test("Any text round-trips as a value, an item and a key", arguments: texts)
    func roundTrip(text: String) throws {
        let plain = YAMLNode.plain(text)
        for node in [plain.isNull ? .null : plain, .quoted(text)] {
            let tree = YAMLNode.mapping([
                ("value", node), ("items", .sequence([node, node])), (text, .mapping([(text, node)])),
                ("rows", .sequence([.mapping([(text, node), ("b", node)])])),
            ])
            let document = try YAMLReader.parse(Array(YAMLWriter.text(of: tree).utf8))
            #expect(document.problems == [])
            #expect(Self.texts(of: document.root) == Self.texts(of: tree))
        }
    }

    @Test("A parsed tree round-trips", arguments: YAMLReaderTests.rows)
    func stable(row: YAMLReaderTests.Row) throws {
        let first = YAMLWriter.text(of: try YAMLReader.parse(Array(row.yaml.utf8)).root)
        let second = try YAMLReader.parse(Array(first.utf8)).root
        #expect(YAMLWriter.text(of: second) == first)
        // The writer may have added unnecessary quotes.
        #expect(YAMLReaderTests.show(second).filter { $0 != "'" } == row.tree.filter { $0 != "'" })
    }

    /// Returns all keys and scalars of a tree, with its brackets.
    private static func texts(of node: YAMLNode) -> [String] {
        switch node.content {
        case .scalar(let scalar): [scalar.text]
        case .sequence(let items): ["["] + items.flatMap(texts) + ["]"]
        case .mapping(let mapping): ["{"] + mapping.members.flatMap { [$0.key] + texts(of: $0.value) } + ["}"]
        }
    }
}
