import ErrandJSON
import ErrandText
package import ErrandYAML

/// The receiver of the problems that a conversion of YAML finds, each at the node that was entered last.
package protocol YAMLProblemReporter {
    /// Descends one step of the path, to a node, for the duration of `body`.
    mutating func enter<Result>(_ step: YAMLPath.Step, node: YAMLNode?, _ body: (inout Self) -> Result) -> Result
    /// Reports a problem of the current node.
    mutating func report(_ message: String)
}

extension SettingReader: YAMLProblemReporter {}

/// Converts YAML to JSON, for documents that are JSON elsewhere.
///
/// An unquoted scalar has the type that the core schema of YAML 1.2 gives it (§10.3.2): null, `true` or `false`, or a
/// number. Any other scalar, and every quoted one, is a string. Numbers keep their digits.
package enum YAMLToJSON {
    /// Returns the document; reports nodes that JSON cannot express.
    package static func convert(_ node: YAMLNode, _ reader: inout some YAMLProblemReporter) -> [UInt8] {
        var writer = JSONWriter()
        write(node, to: &writer, &reader)
        return writer.bytes
    }

    private static func write(
        _ node: YAMLNode, to writer: inout JSONWriter, _ reader: inout some YAMLProblemReporter
    ) {
        switch node.content {
        case .scalar(let scalar):
            write(scalar, to: &writer, &reader)
        case .sequence(let items):
            writer.beginArray()
            for (index, item) in items.enumerated() {
                reader.enter(.index(index), node: item) { reader in write(item, to: &writer, &reader) }
            }
            writer.endArray()
        case .mapping(let mapping):
            writer.beginObject()
            for member in mapping.members {
                writer.member(member.key)
                reader.enter(.key(member.key), node: member.value) { reader in
                    write(member.value, to: &writer, &reader)
                }
            }
            writer.endObject()
        }
    }

    private static func write(
        _ scalar: YAMLScalar, to writer: inout JSONWriter, _ reader: inout some YAMLProblemReporter
    ) {
        guard !scalar.isQuoted else { return writer.string(scalar.text) }
        switch scalar.text {
        case "", "~", "null", "Null", "NULL": writer.null()
        case "true", "True", "TRUE": writer.bool(true)
        case "false", "False", "FALSE": writer.bool(false)
        case let text where isNotFinite(text):
            reader.report("JSON has no such number; quote it to make it a string")
            writer.null()
        case let text where isTooLong(text):
            reader.report("the number has more than 64 bits; write it in decimal digits, or quote it")
            writer.null()
        default:
            if let number = number(scalar.text) { writer.raw(number.utf8) } else { writer.string(scalar.text) }
        }
    }

    private static func isNotFinite(_ text: String) -> Bool {
        let rest = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
        return [".inf", ".Inf", ".INF"].contains(rest) || [".nan", ".NaN", ".NAN"].contains(text)
    }

    /// Returns true for an octal or hexadecimal number of more than 64 bits.
    private static func isTooLong(_ text: String) -> Bool {
        prefixed(text).map { UInt64($0.digits, radix: $0.radix) == nil } ?? false
    }

    /// Returns the digits and the radix of an octal or hexadecimal number; `nil` for any other text.
    private static func prefixed(_ text: String) -> (digits: Substring, radix: Int)? {
        for (prefix, radix) in [("0o", 8), ("0x", 16)] where text.hasPrefix(prefix) {
            let digits = text.dropFirst(2)
            let isNumber = digits.utf8.allSatisfy { Hexadecimal.value(of: $0).map { $0 < radix } ?? false }
            guard isNumber, !digits.isEmpty else { return nil }
            return (digits, radix)
        }
        return nil
    }

    /// Returns the number as JSON writes it; `nil` if the text is not a number.
    private static func number(_ text: String) -> String? {
        if let (digits, radix) = prefixed(text) { return UInt64(digits, radix: radix).map { String($0) } }
        var rest = Substring(text)
        let sign = rest.first == "-" ? "-" : ""
        if rest.first == "-" || rest.first == "+" { rest.removeFirst() }
        let whole = digits(&rest)
        var fraction: Substring?
        if rest.first == "." {
            rest.removeFirst()
            fraction = digits(&rest)
        }
        guard !whole.isEmpty || fraction?.isEmpty == false else { return nil }
        var exponent = ""
        if rest.first == "e" || rest.first == "E" {
            rest.removeFirst()
            exponent = "e"
            if let mark = rest.first, mark == "-" || mark == "+" {
                exponent.append(mark)
                rest.removeFirst()
            }
            let power = digits(&rest)
            guard !power.isEmpty else { return nil }
            exponent += power
        }
        guard rest.isEmpty else { return nil }
        let significant = whole.drop { $0 == "0" }
        let decimals = fraction.map { $0.isEmpty ? "" : ".\($0)" } ?? ""
        return sign + (significant.isEmpty ? "0" : significant) + decimals + exponent
    }

    private static func digits(_ rest: inout Substring) -> Substring {
        // Of characters, also a digit with a combining mark is between "0" and "9".
        let digits = Substring(rest.utf8.prefix(while: \.isASCIIDigit))
        rest = rest[digits.endIndex...]
        return digits
    }
}
