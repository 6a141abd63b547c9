import ErrandHTTPGrammar
import ErrandText

/// A `Set-Cookie` field split into its attributes (RFC 6265 §5.2), before the sender is considered.
///
/// If an attribute is repeated, the last one counts.
struct SetCookieField {
    /// The name, never empty.
    let name: String
    let value: String
    /// Seconds since 1970-01-01 UTC; `nil` without a valid date.
    private(set) var expires: Int64?
    /// Seconds from now; `nil` without a valid number.
    private(set) var maxAge: Int64?
    /// The domain in lower case, without a leading dot; empty if there is none, or only a dot.
    ///
    /// A domain that is not ASCII stays as it is and matches no host: in lower case, the Kelvin sign would become `k`.
    private(set) var domain = ""
    /// The path as written, even if invalid.
    private(set) var path: String?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false

    /// The maximum length of an attribute's value, in bytes; longer attributes are ignored.
    private static let maxAttributeBytes = 1024

    /// Parses a field; returns `nil` if it must be ignored.
    init?(_ field: String) {
        guard !field.utf8.contains(where: Cookie.isControl) else { return nil }
        var parts = field[...].cut(at: UInt8(ascii: ";"))
        let pair = parts.before.cut(at: UInt8(ascii: "="))
        // Without "=" there is no name.
        guard let value = pair.after?.trimmingOptionalWhitespace() else { return nil }
        let name = pair.before.trimmingOptionalWhitespace()
        guard !name.isEmpty, name.utf8.count + value.utf8.count <= Cookie.maxBytes else { return nil }
        self.name = String(name)
        self.value = String(value)
        while let rest = parts.after {
            parts = rest.cut(at: UInt8(ascii: ";"))
            apply(attribute: parts.before)
        }
    }

    private mutating func apply(attribute: Substring) {
        let pair = attribute.cut(at: UInt8(ascii: "="))
        let value = (pair.after ?? "").trimmingOptionalWhitespace()
        guard value.utf8.count <= Self.maxAttributeBytes else { return }
        switch pair.before.trimmingOptionalWhitespace().lowercased() {
        case "expires":
            expires = HTTPDate.seconds(in: value) ?? expires
        case "max-age":
            maxAge = Self.seconds(value) ?? maxAge
        case "domain" where !value.isEmpty:
            domain = Self.domain(value)
        case "path":
            path = String(value)
        case "secure":
            isSecure = true
        case "httponly":
            isHTTPOnly = true
        default:
            break
        }
    }

    private static func domain(_ text: Substring) -> String {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return String(text) }
        return (text.utf8.first == UInt8(ascii: ".") ? text.dropFirst() : text).lowercased()
    }

    /// Returns the number of a `Max-Age` (§5.2.2), clamped to the range of `Int64`.
    private static func seconds(_ text: Substring) -> Int64? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int64(text) ?? (isNegative ? .min : .max)
    }
}

extension Substring {
    /// Returns the text before the first such byte, and the text after it if there is one.
    fileprivate func cut(at separator: UInt8) -> (before: Substring, after: Substring?) {
        guard let index = utf8.firstIndex(of: separator) else { return (self, nil) }
        return (self[..<index], self[utf8.index(after: index)...])
    }
}
