import ErrandJSON
import ErrandResponseSerialization
import ErrandSupport
import Testing

@Suite("The removal of nulls from JSON")
struct JSONNullRemovalTests {
    private let serializer = JSONResponseSerializer(ResponseSerializationOptions(removesNulls: true))

    /// Returns the text without nulls, or the text itself if it is passed on.
    private func rest(of content: [UInt8]) throws -> [UInt8] {
        switch try serializer.serialize(content, contentType: nil).object {
        case .none: []
        case .slice(let range): Array(content[range])
        case .json(let bytes): bytes
        }
    }

    @Test(
        "removes null members and items, and keeps the text around them",
        arguments: [
            (#"{"a":null}"#, "{}"),
            (#"{"a":null,"b":1}"#, #"{"b":1}"#),
            (#"{"a":1,"b":null}"#, #"{"a":1}"#),
            (#"{"a":1,"b":null,"c":3}"#, #"{"a":1,"c":3}"#),
            ("[null,null,1,null,null,2,null,null]", "[1,2]"),
            ("[null,[null],{\"a\":[null,{\"b\":null}]},null]", "[[],{\"a\":[{}]}]"),
            (#"{"a":{"b":null},"c":[null]}"#, #"{"a":{},"c":[]}"#),
        ])
    func drops(content: String, expected: String) throws {
        #expect(String(decoding: try rest(of: Array(content.utf8)), as: UTF8.self) == expected)
    }

    @Test(
        "leaves no gap in formatted text",
        arguments: [
            ("[ null ]", "[]"),
            ("[ ]", "[ ]"),
            ("[ [ ], null ]", "[ [ ] ]"),
            ("[ 1 , null , 2 ]", "[ 1 , 2 ]"),
            ("[ null , 1 ]", "[ 1 ]"),
            ("{\n  \"a\": null,\n  \"b\": 1,\n  \"c\": null\n}", "{\n  \"b\": 1\n}"),
            ("{\n  \"a\": 1,\n  \"b\": null,\n  \"c\": 2\n}", "{\n  \"a\": 1,\n  \"c\": 2\n}"),
            ("{\n  \"a\": [\n    null\n  ]\n}", "{\n  \"a\": []\n}"),
        ])
    func layout(content: String, expected: String) throws {
        #expect(String(decoding: try rest(of: Array(content.utf8)), as: UTF8.self) == expected)
    }

    @Test("changes nothing else: numbers, order, duplicate names, escapes")
    func nothingElse() throws {
        let content = #"{"z":12345678901234567890,"n":null,"a":1.10,"a":-0e+5,"\u006e":"\/\ud800 null","b":[1E400]}"#
        let expected = #"{"z":12345678901234567890,"a":1.10,"a":-0e+5,"\u006e":"\/\ud800 null","b":[1E400]}"#
        #expect(String(decoding: try rest(of: Array(content.utf8)), as: UTF8.self) == expected)
    }

    @Test("keeps no memory for what it has removed")
    func memory() throws {
        let content = "[1," + String(repeating: "null,", count: 100_000) + "2]"
        let rest = try rest(of: Array(content.utf8))
        #expect(rest == Array("[1,2]".utf8))
        #expect(rest.capacity < 10_000)
    }

    @Test("ignores nulls in strings and after escaped quotes")
    func strings() throws {
        let content = #"["null","\"null,","\\",null,"a\\\",null"]"#
        let expected = #"["null","\"null,","\\","a\\\",null"]"#
        #expect(String(decoding: try rest(of: Array(content.utf8)), as: UTF8.self) == expected)
    }

    @Test("works at any depth that JSON allows")
    func deep() throws {
        let content = String(repeating: "[null,", count: 511) + "[null]" + String(repeating: ",null]", count: 511)
        let expected = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        #expect(String(decoding: try rest(of: Array(content.utf8)), as: UTF8.self) == expected)
    }

    @Test("leaves the same value as removing nulls from a tree", arguments: TestBuild.seeds(20))
    func model(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let content = Array(RandomJSON.text(depth: 5, using: &random).utf8)
            let rest = try rest(of: content)
            let before = try JSONDocument.parse(content)
            let after = try JSONDocument.parse(rest)
            let kept = Self.compact(before.root, of: before, withoutNulls: true)
            #expect(Self.compact(after.root, of: after, withoutNulls: false) == kept)
            #expect(try self.rest(of: rest) == rest, "there is nothing left to remove")
            #expect((rest == Array(content[before.root.range])) == (Self.nulls(in: before.root) == 0))
        }
    }

    // MARK: The model, which works on the tree

    private static func compact(_ value: JSONValue, of document: JSONDocument, withoutNulls: Bool) -> String {
        switch value.kind {
        case .array(let items):
            let items = items.filter { !withoutNulls || !$0.isNull }
            return "[\(items.map { compact($0, of: document, withoutNulls: withoutNulls) }.joined(separator: ","))]"
        case .object(let object):
            let members = object.members.filter { !withoutNulls || !$0.value.isNull }.map { member in
                String(decoding: document.bytes[member.keyRange], as: UTF8.self) + ":"
                    + compact(member.value, of: document, withoutNulls: withoutNulls)
            }
            return "{\(members.joined(separator: ","))}"
        default:
            return String(decoding: document.slice(of: value), as: UTF8.self)
        }
    }

    private static func nulls(in value: JSONValue) -> Int {
        switch value.kind {
        case .null: 1
        case .array(let items): items.map(nulls).reduce(0, +)
        case .object(let object): object.members.map { nulls(in: $0.value) }.reduce(0, +)
        default: 0
        }
    }
}

/// Random texts with many nulls, duplicate names, misleading strings, and white space everywhere.
private enum RandomJSON {
    /// Returns an array or object nested up to `depth` deep.
    static func text(depth: Int, using random: inout SplitMix64) -> String {
        let isObject = Bool.random(using: &random)
        let elements = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            let name = isObject ? "\(space(&random))\(string(&random))\(space(&random)):" : ""
            return name + space(&random) + value(depth: depth - 1, using: &random) + space(&random)
        }
        let content = elements.isEmpty ? space(&random) : elements.joined(separator: ",")
        return isObject ? "{\(content)}" : "[\(content)]"
    }

    private static func value(depth: Int, using random: inout SplitMix64) -> String {
        switch Int.random(in: 0..<9, using: &random) {
        case 0...2: "null"
        case 3: string(&random)
        case 4: ["0", "-1.50", "1e+9", "12345678901234567890"].randomElement(using: &random) ?? "0"
        case 5: ["true", "false"].randomElement(using: &random) ?? "true"
        default: depth > 0 ? text(depth: depth, using: &random) : "[ ]"
        }
    }

    private static func string(_ random: inout SplitMix64) -> String {
        [#""""#, #""a""#, #""null""#, #""\"""#, #""\\""#, #""\\\"""#, #"",null]""#, #""é\u00e9""#]
            .randomElement(using: &random) ?? #""""#
    }

    private static func space(_ random: inout SplitMix64) -> String {
        ["", "", " ", "\n  ", "\t\r\n"].randomElement(using: &random) ?? ""
    }
}
