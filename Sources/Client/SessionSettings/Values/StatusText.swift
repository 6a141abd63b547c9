import ErrandText

/// Statuses as configurations and clients write them: `204`, `5xx` for a class, or `200-299` for a range.
package enum StatusText {
    /// Returns the statuses, from 100 to 999, or `nil` for any other text.
    package static func parse(_ text: String) -> ClosedRange<Int>? {
        if text.hasSuffix("xx") { return statusClass(text.dropLast(2)) }
        let bounds = text.split(separator: "-", omittingEmptySubsequences: false).map { status($0) }
        guard bounds.count <= 2, let first = bounds[0], let last = bounds[bounds.count - 1], first <= last else {
            return nil
        }
        return first...last
    }

    /// Returns the statuses of a class, given its number from 1 to 9.
    private static func statusClass(_ text: Substring) -> ClosedRange<Int>? {
        guard text.utf8.count == 1, let number = Int(decimalDigits: text), number > 0 else { return nil }
        return (number * 100)...(number * 100 + 99)
    }

    private static func status(_ text: Substring) -> Int? {
        guard text.utf8.count == 3, let status = Int(decimalDigits: text), status >= 100 else { return nil }
        return status
    }
}
