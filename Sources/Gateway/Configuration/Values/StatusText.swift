import ErrandText

/// Statuses as configurations and clients write them: `204`, or `200-299` for a range.
package enum StatusText {
    /// Returns the statuses, from 100 to 999, or `nil` for any other text.
    package static func parse(_ text: String) -> ClosedRange<Int>? {
        let bounds = text.split(separator: "-", omittingEmptySubsequences: false).map { status($0) }
        guard bounds.count <= 2, let first = bounds[0], let last = bounds[bounds.count - 1], first <= last else {
            return nil
        }
        return first...last
    }

    private static func status(_ text: Substring) -> Int? {
        guard text.utf8.count == 3, let status = Int(decimalDigits: text), status >= 100 else { return nil }
        return status
    }
}
