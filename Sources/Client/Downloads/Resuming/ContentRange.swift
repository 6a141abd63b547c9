import ErrandHTTPGrammar
import ErrandText

/// The value of a `Content-Range` field in bytes (RFC 9110 §14.4).
package struct ContentRange: Sendable, Hashable {
    /// The positions of the first and the last byte; `nil` in a response without a part (416).
    package let positions: ClosedRange<Int64>?
    /// The number of bytes of the whole content; `nil` if it is stated as unknown.
    package let total: Int64?

    /// Parses the value of a field; returns `nil` for another unit and for an invalid range.
    package init?(_ value: String) {
        let words = value[...].trimmingOptionalWhitespace().split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let sides = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        let total = Int64(decimalDigits: sides[1])
        guard total != nil || sides[1] == "*" else { return nil }
        self.total = total
        if sides[0] == "*" {
            guard total != nil else { return nil }
            positions = nil
            return
        }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int64(decimalDigits: ends[0]), let last = Int64(decimalDigits: ends[1]),
            first <= last, last < total ?? .max
        else { return nil }
        positions = first...last
    }
}
