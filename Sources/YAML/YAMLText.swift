/// Text as YAML and people read it: double-quoted, without a character that could disturb a terminal or a log.
package enum YAMLText {
    /// The text between double quotes, with YAML's escapes (YAML 1.1 §5.6) for quotes, backslashes and whatever is not
    /// printable.
    ///
    /// - Parameters:
    ///   - text: Any text.
    ///   - limit: The number of characters to show; what is cut is replaced by `…`. `nil` shows all.
    package static func quoted(_ text: String, limit: Int? = nil) -> String {
        var result = "\""
        var shown = 0
        for scalar in text.unicodeScalars {
            if let limit, shown >= limit {
                return result + "…\""
            }
            shown += 1
            result += escaped(scalar)
        }
        return result + "\""
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": return #"\""#
        case "\\": return #"\\"#
        case "\n": return #"\n"#
        case "\r": return #"\r"#
        case "\t": return #"\t"#
        case "\0": return #"\0"#
        default:
            if isShown(scalar) { return String(scalar) }
            return switch scalar.value {
            case ...0xFF: "\\x" + hexadecimal(scalar.value, digits: 2)
            case ...0xFFFF: "\\u" + hexadecimal(scalar.value, digits: 4)
            default: "\\U" + hexadecimal(scalar.value, digits: 8)
            }
        }
    }

    /// Control and format characters, line separators, private and unassigned ones are written as escapes: they show
    /// nothing, or change how their neighbours are shown.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }

    /// Upper-case hexadecimal with leading zeros.
    static func hexadecimal(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
