import ErrandJSON
import ErrandRequestSerialization
import ErrandSupport
import Foundation
import Testing

@Suite("Any query")
struct QueryEncodingPropertyTests {
    @Test("can be decoded to the names and values of its parameters", arguments: 0..<8 as Range<UInt64>)
    func comesApart(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for round in 0..<250 {
            let encoding = ParameterEncoding.random(using: &random)
            let parameters = Parameters.random(encoding, using: &random)
            let query = try QueryEncoding.encode(parameters.json, encoding)
            #expect(query.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "seed \(seed), round \(round)")
            #expect(
                decoded(query, encoding) == parameters.pairs(encoding), "seed \(seed), round \(round), \(encoding)")
        }
    }

    /// Decodes the fields of a query by the rules of its styles.
    private func decoded(_ query: String, _ encoding: ParameterEncoding) -> [Field] {
        query.split(separator: "&").map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Field(
                name: unescaped(sides[0], encoding),
                values: sides.count < 2
                    ? nil
                    : sides[1].split(separator: ",", omittingEmptySubsequences: false).map { unescaped($0, encoding) })
        }
    }

    private func unescaped(_ text: Substring, _ encoding: ParameterEncoding) -> String? {
        let text = encoding.spaces == .plus ? text.replacing("+", with: "%20") : text
        return String(text).removingPercentEncoding
    }
}

/// The decoded name and values of a pair; `nil` if decoding fails or there is no value.
private struct Field: Equatable {
    var name: String?
    var values: [String?]?
}

/// Random parameters, as a tree with its expected pairs.
private struct Parameters {
    fileprivate indirect enum Node {
        case null
        case bool(Bool)
        case number(String)
        case string(String)
        case array([Node])
        case object([(key: String, value: Node)])
    }

    fileprivate let root: [(key: String, value: Node)]

    static func random(_ encoding: ParameterEncoding, using random: inout SplitMix64) -> Parameters {
        Parameters(root: members(depth: 0, encoding, using: &random))
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        write(.object(root), to: &writer)
        return writer.bytes
    }

    func pairs(_ encoding: ParameterEncoding) -> [Field] {
        sorted(root).flatMap { fields(of: $0.value, named: $0.key, encoding) }
            // These cannot be written at all.
            .filter { $0 != Field(name: "", values: nil) }
    }

    // MARK: Making

    /// Keys that differ, so that their order is defined.
    private static func members(
        depth: Int, _ encoding: ParameterEncoding, using random: inout SplitMix64
    ) -> [(key: String, value: Node)] {
        var keys: [String] = []
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let key = text(using: &random)
            if !keys.contains(where: { $0.utf8.elementsEqual(key.utf8) }) { keys.append(key) }
        }
        return keys.map { ($0, node(depth: depth + 1, encoding, using: &random)) }
    }

    private static func node(depth: Int, _ encoding: ParameterEncoding, using random: inout SplitMix64) -> Node {
        switch Int.random(in: 0..<(depth < 4 ? 6 : 4), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .number(["0", "-1.50", "1E+9", "12345678901234567890"].randomElement(using: &random) ?? "0")
        case 3: return .string(text(using: &random))
        case 4:
            // Comma-separated lists contain no containers.
            let depth = encoding.arrays == .comma ? 4 : depth + 1
            return .array(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    node(depth: depth, encoding, using: &random)
                })
        default: return .object(members(depth: depth, encoding, using: &random))
        }
    }

    private static func text(using random: inout SplitMix64) -> String {
        let alphabet: [Unicode.Scalar] = [
            "a", "Z", "0", ".", "[", "]", " ", "+", "%", "&", "=", ",", "/", "é", "€", "👩",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            text.unicodeScalars.append(alphabet.randomElement(using: &random) ?? "a")
        }
        return text
    }

    private func write(_ node: Node, to writer: inout JSONWriter) {
        switch node {
        case .null: writer.null()
        case .bool(let bool): writer.bool(bool)
        case .number(let lexeme): writer.raw(lexeme.utf8)
        case .string(let text): writer.string(text)
        case .array(let nodes):
            writer.beginArray()
            for node in nodes { write(node, to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for member in members {
                writer.member(member.key)
                write(member.value, to: &writer)
            }
            writer.endObject()
        }
    }

    // MARK: Expecting

    private func sorted(_ members: [(key: String, value: Node)]) -> [(key: String, value: Node)] {
        members.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
    }

    private func fields(of node: Node, named name: String, _ encoding: ParameterEncoding) -> [Field] {
        switch node {
        case .array(let nodes) where encoding.arrays == .comma:
            let values = nodes.filter { !($0.isNull && encoding.nulls == .drop) }.map { text(of: $0, encoding) ?? "" }
            return values.isEmpty ? [] : [Field(name: name, values: values)]
        case .array(let nodes):
            return nodes.enumerated().flatMap { index, node in
                let suffix = [.brackets: "[]", .indices: "[\(index)]"][encoding.arrays] ?? ""
                return fields(of: node, named: name + suffix, encoding)
            }
        case .object(let members):
            return sorted(members).flatMap { member in
                let inner = encoding.nested == .dots ? ".\(member.key)" : "[\(member.key)]"
                return fields(of: member.value, named: name + inner, encoding)
            }
        case .null where encoding.nulls == .drop:
            return []
        case .null, .bool, .number, .string:
            // A value outside of a list is a single text, in which commas are escaped.
            return [Field(name: name, values: text(of: node, encoding).map { [$0] })]
        }
    }

    private func text(of node: Node, _ encoding: ParameterEncoding) -> String? {
        switch node {
        case .null: [.empty: "", .literal: "null"][encoding.nulls]
        case .bool(let bool): encoding.booleans == .literal ? "\(bool)" : bool ? "1" : "0"
        case .number(let text), .string(let text): text
        case .array, .object: nil
        }
    }
}

extension Parameters.Node {
    fileprivate var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension ParameterEncoding {
    fileprivate static func random(using random: inout SplitMix64) -> ParameterEncoding {
        ParameterEncoding(
            arrays: ArrayStyle.allCases.randomElement(using: &random) ?? .brackets,
            nested: NestingStyle.allCases.randomElement(using: &random) ?? .brackets,
            booleans: BooleanStyle.allCases.randomElement(using: &random) ?? .numeric,
            nulls: NullStyle.allCases.randomElement(using: &random) ?? .key,
            spaces: SpaceStyle.allCases.randomElement(using: &random) ?? .percent)
    }
}
