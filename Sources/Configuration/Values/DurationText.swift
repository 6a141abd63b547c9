/// Durations as configurations and clients write them: `250ms`, `30s`, `5m`, `2h`, `7d`; a bare number is seconds.
package enum DurationText {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]

    /// The regular expression (ECMA-262) of what ``parse(_:)`` takes.
    static let pattern = "^[0-9]{1,18}(ms|s|m|h|d)?$"

    /// The duration, or `nil` for what is none, or too long a one to be counted in milliseconds.
    package static func parse(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let name = digits.count < text.count ? text.dropFirst(digits.count) : "s"
        guard digits.count <= 18, let number = Int64(digits), let unit = units.first(where: { $0.name == name })
        else { return nil }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: unit.milliseconds)
        return overflow ? nil : .milliseconds(milliseconds)
    }

    /// The shortest text for a duration; what is below a millisecond is cut.
    package static func format(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        // Beyond what milliseconds can count, whole seconds are near enough.
        guard !overflow else { return "\(seconds)s" }
        let milliseconds = whole + attoseconds / 1_000_000_000_000_000
        guard milliseconds != 0, let unit = units.first(where: { milliseconds.isMultiple(of: $0.milliseconds) }) else {
            return "0s"
        }
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }
}
