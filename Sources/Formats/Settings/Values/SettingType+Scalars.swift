import ErrandText
import ErrandTime
package import ErrandYAML

extension SettingType where Value: FixedWidthInteger & Sendable {
    /// The type of a whole number.
    package static func integer(_ range: ClosedRange<Value>) -> SettingType {
        let bounds = "from \(range.lowerBound) to \(range.upperBound)"
        let shape = ScalarShape(
            label: "whole number \(bounds)", expectation: "a whole number \(bounds)",
            constraint: .integer(Int(range.lowerBound)...Int(range.upperBound)))
        return .scalar(
            shape,
            parse: { text throws(ScalarRefusal) in
                guard let value = Value(text), range.contains(value), !text.hasPrefix("+") else { throw .unexpected }
                return value
            },
            format: { .plain(String($0)) })
    }

    /// The type of a number of bytes; see ``ByteSize``.
    package static func size(_ range: ClosedRange<Value>) -> SettingType {
        let bounds = "\(ByteSize.format(Int64(range.lowerBound))) to \(ByteSize.format(Int64(range.upperBound)))"
        let shape = ScalarShape(
            label: "size, \(bounds)", expectation: "a size such as 64MiB",
            constraint: .pattern(ByteSize.pattern, orInteger: true))
        return .scalar(
            shape, remedy: { Remedy.size($0) },
            parse: { text throws(ScalarRefusal) in
                guard let bytes = ByteSize.parse(text) else { throw .unexpected }
                guard let value = Value(exactly: bytes), range.contains(value) else {
                    throw .because("expected a size from \(bounds)")
                }
                return value
            },
            format: { .plain(ByteSize.format(Int64($0))) })
    }

    /// The type of a number of bytes per second: `50KiB/s`, or `50000`.
    package static func bytesPerSecond(_ range: ClosedRange<Value>) -> SettingType {
        let bounds = "\(ByteSize.format(Int64(range.lowerBound)))/s to \(ByteSize.format(Int64(range.upperBound)))/s"
        let shape = ScalarShape(
            label: "rate, \(bounds)", expectation: "a rate such as 1KiB/s",
            constraint: .pattern(ByteSize.pattern.dropLast() + "/s$|^[0-9]{1,18}$", orInteger: true))
        return .scalar(
            shape, remedy: { Remedy.bytesPerSecond($0) },
            parse: { text throws(ScalarRefusal) in
                // A bare number is bytes, as in the API.
                let size = text.hasSuffix("/s") ? String(text.dropLast(2)) : text
                guard let bytes = ByteSize.parse(size), text.hasSuffix("/s") || Int64(text) != nil else {
                    throw .unexpected
                }
                guard let value = Value(exactly: bytes), range.contains(value) else {
                    throw .because("expected a rate from \(bounds)")
                }
                return value
            },
            format: { .plain(ByteSize.format(Int64($0)) + "/s") })
    }
}

extension SettingType where Value == Double {
    /// The type of a number, with or without decimals.
    package static func number(_ range: ClosedRange<Double>) -> SettingType {
        let bounds = "from \(text(range.lowerBound)) to \(text(range.upperBound))"
        let shape = ScalarShape(
            label: "number \(bounds)", expectation: "a number \(bounds)", constraint: .number(range))
        return .scalar(
            shape,
            parse: { text throws(ScalarRefusal) in
                let isDecimal = text.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
                guard isDecimal, let value = Double(text), range.contains(value) else { throw .unexpected }
                return value
            },
            format: { .plain(Self.text($0)) })
    }

    /// Returns a number as text without an exponent, as the type reads it; a whole number has no decimals.
    private static func text(_ value: Double) -> String {
        let parts = value.magnitude.description.split(separator: "e")
        let sign = value < 0 ? "-" : ""
        let mantissa = parts[0].hasSuffix(".0") ? parts[0].dropLast(2) : parts[0]
        guard parts.count == 2, let exponent = Int(parts[1]) else { return "\(sign)\(mantissa)" }
        let digits: String = mantissa.split(separator: ".").joined()
        let point = mantissa.prefix(while: { $0 != "." }).count + exponent
        guard point > 0 else { return "\(sign)0.\(String(repeating: "0", count: -point))\(digits)" }
        let padded = digits + String(repeating: "0", count: max(0, point - digits.count))
        let (whole, decimals) = (padded.prefix(point), padded.dropFirst(point))
        return decimals.isEmpty ? "\(sign)\(whole)" : "\(sign)\(whole).\(decimals)"
    }
}

extension SettingType where Value == Duration {
    /// The type of a duration; see ``DurationText``.
    package static func duration(_ range: ClosedRange<Duration>) -> SettingType {
        let bounds = "\(range.lowerBound.shortText) to \(range.upperBound.shortText)"
        let shape = ScalarShape(
            label: "duration, \(bounds)", expectation: "a duration such as 30s",
            constraint: .pattern(DurationText.pattern, orInteger: true))
        return .scalar(
            shape, remedy: { Remedy.duration($0) },
            parse: { text throws(ScalarRefusal) in
                guard let duration = DurationText.parse(text) else { throw .unexpected }
                guard range.contains(duration) else { throw .because("expected a duration from \(bounds)") }
                return duration
            },
            format: { .plain($0.shortText) })
    }
}

extension SettingType where Value == Bool {
    /// The type of a Boolean: `true` or `false`, and none of the other words of YAML 1.1.
    package static var boolean: SettingType {
        let shape = ScalarShape(label: "boolean", expectation: "true or false", constraint: .boolean)
        return .scalar(
            shape, remedy: { Remedy.boolean($0) },
            parse: { text throws(ScalarRefusal) in
                switch text {
                case "true": return true
                case "false": return false
                default: throw .unexpected
                }
            },
            format: { .plain($0 ? "true" : "false") })
    }
}

extension SettingType where Value == String {
    /// The type of one of several words.
    ///
    /// - Parameters:
    ///   - unavailable: Words that are recognized and refused as not available.
    ///   - orMapping: True if a mapping may replace the word. Messages then mention it.
    package static func word(_ words: [String], unavailable: [String] = [], orMapping: Bool = false) -> SettingType {
        let list = Self.alternatives(orMapping ? words + ["a mapping"] : words)
        let label = words.map { "`\($0)`" }.joined(separator: ", ")
        let shape = ScalarShape(label: label, expectation: list, constraint: .words(words))
        return .scalar(
            shape, remedy: { Remedy.word($0, among: words) },
            parse: { text throws(ScalarRefusal) in
                guard !unavailable.contains(text) else {
                    throw .because("\(text) is not available in this version; expected \(list)")
                }
                guard words.contains(text) else { throw .unexpected }
                return text
            },
            // Adds quotes if the text looks like a number or a Boolean.
            format: { .text($0) })
    }

    private static func alternatives(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.joined() }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }

    /// The type of text with at least one character.
    ///
    /// - Parameters:
    ///   - label: The label on the reference page.
    ///   - check: Returns the reason to refuse a text, or `nil`. The reason must not contain the text.
    package static func text(
        _ label: String = "text", _ check: @escaping @Sendable (String) -> String? = { _ in nil }
    ) -> SettingType {
        .scalar(
            ScalarShape(label: label, expectation: label),
            parse: { text throws(ScalarRefusal) in
                guard !text.isEmpty else { throw .unexpected }
                if let reason = check(text) { throw .because(reason) }
                return text
            },
            format: { .text($0) })
    }

    /// The type of text that is never shown.
    ///
    /// - Parameter minimum: The minimum number of characters.
    package static func secret(minimum: Int) -> SettingType {
        .scalar(
            ScalarShape(label: "secret text", expectation: "a secret text", isSecret: true),
            parse: { text throws(ScalarRefusal) in
                guard !text.isEmpty else { throw .because("expected a secret, found nothing") }
                guard text.count >= minimum else { throw .because("expected at least \(minimum) characters") }
                return text
            },
            format: { _ in .redacted })
    }
}

extension SettingType where Value == String {
    /// The type of text that is never shown, and that may be empty if the file itself says so: an empty variable is more
    /// often a mistake.
    package static var password: SettingType {
        let secret = SettingType.secret(minimum: 1)
        return SettingType(
            shape: secret.shape,
            read: { node, base, reader in
                if let node, case .scalar(let scalar) = node.content, scalar.text.isEmpty, !scalar.isNull,
                    !reader.isInterpolated(node)
                {
                    return ""
                }
                return secret.read(node, base, &reader)
            },
            write: { $0.isEmpty ? .quoted("") : secret.write($0) })
    }
}

extension SettingType where Value: RawRepresentable<String> & CaseIterable & Sendable {
    /// The type of an enumeration, written as raw values.
    ///
    /// - Parameter unavailable: Words that are recognized and refused as not available.
    package static func choice(unavailable: [String] = []) -> SettingType {
        let word = SettingType<String>.word(Value.allCases.map(\.rawValue), unavailable: unavailable)
        return SettingType(
            shape: word.shape,
            read: { node, _, reader in word.read(node, nil, &reader).flatMap { Value(rawValue: $0) } },
            write: { word.write($0.rawValue) })
    }
}

extension YAMLNode {
    /// Returns text, in quotes if other YAML readers could read it as another type.
    package static func text(_ text: String) -> YAMLNode {
        let isWord = text.first.map { $0.isASCII && ($0.isLetter || $0 == "/" || $0 == "_") } ?? false
        let words: Set = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"]
        return isWord && !words.contains(text.lowercased()) ? .plain(text) : .quoted(text)
    }

    /// The placeholder for secrets.
    package static let redacted = quoted("[redacted]")
}
