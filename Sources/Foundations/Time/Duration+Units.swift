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
