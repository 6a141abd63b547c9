/// The statuses of a filter, as a client writes them: one status such as `503`, or a class such as `5xx`.
package enum QueryStatus {
    /// The texts that are expected, for messages.
    package static let expectation = "an HTTP status such as 503, or a class such as 5xx"

    /// Reads the statuses.
    ///
    /// - Returns: `nil` if the text is neither a status of three digits nor a class. Some servers use statuses up to 999.
    package static func parse(_ text: String) -> ClosedRange<Int>? {
        guard text.utf8.count == 3 else { return nil }
        if text.hasSuffix("xx") {
            guard let number = Int(text.prefix(1)), number > 0 else { return nil }
            return (number * 100)...(number * 100 + 99)
        }
        guard let status = Int(text), status >= 100 else { return nil }
        return status...status
    }
}
