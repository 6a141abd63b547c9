import ErrandText

/// Text in double quotes for YAML and for people, without characters that could disturb a terminal or a log.
package enum YAMLText {
    /// Returns the text in double quotes, with YAML's escapes (YAML 1.1 §5.6) for quotes, backslashes and non-printable
    /// characters.
    ///
    /// - Parameters:
    ///   - text: Any text.
    ///   - limit: The number of characters to show; the rest is replaced by `…`. `nil` shows all.
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
            case ...0xFF: "\\x" + Hexadecimal.text(scalar.value, minimumDigits: 2, isUppercase: true)
            case ...0xFFFF: "\\u" + Hexadecimal.text(scalar.value, minimumDigits: 4, isUppercase: true)
            default: "\\U" + Hexadecimal.text(scalar.value, minimumDigits: 8, isUppercase: true)
            }
        }
    }

    /// Returns false for a character that must be escaped.
    ///
    /// These are control and format characters, line separators, private and unassigned ones: they are invisible, or
    /// change the rendering of others.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
