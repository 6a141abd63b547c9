import HTTPGrammar

/// A `Set-Cookie` field taken apart (RFC 6265 §5.2), before anything is known of who sent it.
///
/// Of attributes that are given several times, the last counts.
struct SetCookieField {
    /// Never empty.
    let name: String
    let value: String
    /// Seconds since 1970-01-01 UTC; absent without a date that can be read.
    private(set) var expires: Int64?
    /// Seconds from now on.
    private(set) var maxAge: Int64?
    /// In lower case, without a dot in front; empty when there is none, or nothing but a dot.
    ///
    /// One that is not ASCII stays as it is, and is nobody's domain: lower case would make `k` of the Kelvin sign.
    private(set) var domain = ""
    /// As it is written, also when it is no path.
    private(set) var path: String?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false

    /// The longest value of an attribute that is not ignored, in bytes.
    private static let maxAttributeBytes = 1024

    /// Reads a field; `nil` when it is to be ignored.
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

    /// The number of a `Max-Age` (§5.2.2), the nearest that there is when it is too large.
    private static func seconds(_ text: Substring) -> Int64? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int64(text) ?? (isNegative ? .min : .max)
    }
}

extension Substring {
    /// What stands before the first such byte, and after it if there is one.
    fileprivate func cut(at separator: UInt8) -> (before: Substring, after: Substring?) {
        guard let index = utf8.firstIndex(of: separator) else { return (self, nil) }
        return (self[..<index], self[utf8.index(after: index)...])
    }
}
