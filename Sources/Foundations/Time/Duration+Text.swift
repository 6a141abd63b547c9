extension Duration {
    /// The units of duration texts, from the longest to the shortest.
    package static let textUnits: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]

    /// The shortest text with one unit, such as `250ms`, `30s`, `5m`, `2h` or `7d`; fractions of a millisecond are
    /// truncated.
    package var shortText: String {
        let milliseconds = wholeMilliseconds
        // Beyond the range of milliseconds, whole seconds are accurate enough.
        guard milliseconds != .max, milliseconds != .min else { return "\(components.seconds)s" }
        let unit = Self.textUnits.first { milliseconds.isMultiple(of: $0.milliseconds) }
        guard milliseconds != 0, let unit else { return "0s" }
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }
}
