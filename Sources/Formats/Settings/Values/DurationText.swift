import ErrandTime

/// Durations as configurations and clients write them: `250ms`, `30s`, `5m`, `2h`, `7d`.
///
/// A bare number is in seconds.
package enum DurationText {
    /// The regular expression (ECMA-262) of the texts that ``parse(_:)`` accepts.
    static let pattern = "^[0-9]{1,18}(ms|s|m|h|d)?$"

    /// Returns the duration, or `nil` if the text is not a duration or exceeds the range of milliseconds.
    package static func parse(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let name = digits.count < text.count ? text.dropFirst(digits.count) : "s"
        guard digits.count <= 18, let number = Int64(digits),
            let unit = Duration.textUnits.first(where: { $0.name == name })
        else { return nil }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: unit.milliseconds)
        return overflow ? nil : .milliseconds(milliseconds)
    }
}
