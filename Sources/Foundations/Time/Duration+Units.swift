extension Duration {
    /// The duration in whole seconds, rounded up and clamped to the range of the type.
    package var wholeSecondsRoundedUp: Int64 {
        let (seconds, attoseconds) = components
        return attoseconds > 0 && seconds < .max ? seconds + 1 : seconds
    }

    /// The duration in whole milliseconds, rounded towards zero and clamped to the range of the type.
    package var wholeMilliseconds: Int64 { units(perSecond: 1000, attoseconds: 1_000_000_000_000_000) }

    /// The duration in whole milliseconds, rounded up and clamped to the range of the type.
    package var wholeMillisecondsRoundedUp: Int64 {
        let milliseconds = wholeMilliseconds
        return components.attoseconds % 1_000_000_000_000_000 > 0 && milliseconds < .max
            ? milliseconds + 1 : milliseconds
    }

    /// The duration in whole microseconds, rounded towards zero and clamped to the range of the type.
    package var wholeMicroseconds: Int64 { units(perSecond: 1_000_000, attoseconds: 1_000_000_000_000) }

    /// The duration in whole nanoseconds, rounded towards zero and clamped to the range of the type.
    package var wholeNanoseconds: Int64 { units(perSecond: 1_000_000_000, attoseconds: 1_000_000_000) }

    private func units(perSecond: Int64, attoseconds perUnit: Int64) -> Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: perSecond)
        let (sum, isPastEnd) = whole.addingReportingOverflow(attoseconds / perUnit)
        guard isTooLong || isPastEnd else { return sum }
        return seconds < 0 ? .min : .max
    }
}

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
