import ErrandText

/// A second of a day of the proleptic Gregorian calendar, in UTC without leap seconds.
package struct CivilTime: Sendable, Hashable {
    /// The day.
    package let date: CivilDate
    /// The second of the day, 0 to 86 399.
    package let secondOfDay: Int64

    /// The seconds since 1970 of the years 0000 to 9999, for which the forms of ISO 8601 have four digits.
    package static let fourDigitYears: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// Creates a time; returns `nil` if the day or the time of day does not exist.
    package init?(year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64) {
        guard let date = CivilDate(year: year, month: month, day: day), (0..<24).contains(hour),
            (0..<60).contains(minute), (0..<60).contains(second)
        else { return nil }
        self.date = date
        secondOfDay = (hour * 60 + minute) * 60 + second
    }

    /// Creates the time at a number of seconds after 1970-01-01T00:00:00Z.
    package init(secondsSince1970 seconds: Int64) {
        let days = CivilDate.floorDivide(seconds, by: 86_400)
        date = CivilDate(daysSince1970: days)
        secondOfDay = seconds - days * 86_400
    }

    /// Creates the time at a number of seconds after 1970-01-01T00:00:00Z, clamped to ``fourDigitYears``.
    package init(clampingSecondsSince1970 seconds: Int64) {
        self.init(
            secondsSince1970: min(max(seconds, Self.fourDigitYears.lowerBound), Self.fourDigitYears.upperBound))
    }

    /// The number of seconds from 1970-01-01T00:00:00Z to this time.
    package var secondsSince1970: Int64 { date.daysSince1970 * 86_400 + secondOfDay }

    /// The forms of ISO 8601.
    package enum Format: Sendable {
        /// `2026-11-21T12:00:00`
        case extended
        /// `20261121T120000`
        case basic
    }

    /// Appends date and time without a zone; the year must have at most four digits.
    package func write(_ format: Format, to text: inout [UInt8]) {
        let isExtended = format == .extended
        text.append(decimal: date.year, digits: 4)
        if isExtended { text.append(UInt8(ascii: "-")) }
        text.append(decimal: date.month, digits: 2)
        if isExtended { text.append(UInt8(ascii: "-")) }
        text.append(decimal: date.day, digits: 2)
        text.append(UInt8(ascii: "T"))
        let (minutes, second) = secondOfDay.quotientAndRemainder(dividingBy: 60)
        text.append(decimal: minutes / 60, digits: 2)
        if isExtended { text.append(UInt8(ascii: ":")) }
        text.append(decimal: minutes % 60, digits: 2)
        if isExtended { text.append(UInt8(ascii: ":")) }
        text.append(decimal: second, digits: 2)
    }
}
