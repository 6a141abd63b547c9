import ErrandHTTPGrammar
import ErrandText
import ErrandTransfer
import HTTPTypes

/// A strong validator of content (RFC 9110 §8.8.1), which `If-Range` requires (§13.1.5): equal validators mean equal
/// bytes.
struct StrongValidator: Sendable, Hashable {
    /// The value as received, for `If-Range`.
    let text: String

    /// The maximum length of an entity tag, in bytes of UTF-8: each request for a part repeats it, and the record of a
    /// partial file must stay small.
    static let maxTagBytes = 4096

    /// Creates the validator of stored resume data; returns `nil` for a weak entity tag, for one of more than
    /// ``maxTagBytes``, and for other texts.
    init?(_ text: String) {
        guard Self.isEntityTag(text) || Self.isDate(text) else { return nil }
        self.text = text
    }

    /// Creates the validator of a response; returns `nil` if it has none that is strong.
    ///
    /// A date is used only without an entity tag (§13.1.5), and only if the content was not changed during the minute
    /// before the response: a date does not distinguish changes within a second, and two clocks may differ (§8.8.2.2).
    init?(_ head: ResponseHead) {
        if let tag = head.headers[.eTag] {
            guard Self.isEntityTag(tag) else { return nil }
            text = tag
            return
        }
        guard let modified = head.headers[.lastModified], Self.isDate(modified),
            let date = head.headers[.date], let changed = HTTPDate.seconds(in: modified[...]),
            let sent = HTTPDate.seconds(in: date[...]), sent - changed >= 60
        else { return nil }
        text = modified
    }

    /// Returns true if a response does not state another validator.
    ///
    /// A part may lack the validator that the request has named (§15.3.7).
    func isValid(for head: ResponseHead) -> Bool {
        let stated = Self.isEntityTag(text) ? head.headers[.eTag] : head.headers[.lastModified]
        return stated == nil || stated == text
    }

    /// Returns true for a strong `entity-tag` (§8.8.3) of at most ``maxTagBytes``.
    private static func isEntityTag(_ text: String) -> Bool {
        let bytes = text.utf8
        guard (2...maxTagBytes).contains(bytes.count), bytes.first == UInt8(ascii: "\""),
            bytes.last == UInt8(ascii: "\"")
        else { return false }
        return bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7F }
    }

    private static func isDate(_ text: String) -> Bool {
        text.utf8.first?.isASCIILetter == true && !text.hasPrefix("W/")
            && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && HTTPDate.seconds(in: text[...]) != nil
    }
}
