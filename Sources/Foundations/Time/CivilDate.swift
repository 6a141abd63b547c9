/// A day of the proleptic Gregorian calendar.
///
/// The arithmetic counts from 1 March, so that the leap day is at the end of a year, in eras of 400 years, after which
/// the calendar repeats.
package struct CivilDate: Sendable, Hashable {
    /// The year; 0 is 1 BC.
    package let year: Int64
    /// The month, 1 to 12.
    package let month: Int64
    /// The day of the month, 1 to 31.
    package let day: Int64

    private static let daysOfEra: Int64 = 146_097
    /// The days from 0000-03-01 to 1970-01-01.
    private static let epoch: Int64 = 719_468

    /// Creates a day; returns `nil` if it does not exist.
    package init?(year: Int64, month: Int64, day: Int64) {
        guard (1...12).contains(month), (1...Self.length(ofMonth: month, year: year)).contains(day) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Creates the day at a number of days after 1970-01-01.
    package init(daysSince1970 days: Int64) {
        let shifted = days + Self.epoch
        let era = Self.floorDivide(shifted, by: Self.daysOfEra)
        let dayOfEra = shifted - era * Self.daysOfEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days from 1970-01-01 to this day.
    package var daysSince1970: Int64 {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let era = Self.floorDivide(yearFromMarch, by: 400)
        let yearOfEra = yearFromMarch - era * 400
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysOfEra + dayOfEra - Self.epoch
    }

    /// The weekday, 0 for Sunday to 6 for Saturday.
    package var weekday: Int64 {
        // 1970-01-01 was a Thursday.
        let days = daysSince1970 + 4
        return days - Self.floorDivide(days, by: 7) * 7
    }

    /// Returns the number of days of a month.
    ///
    /// - Parameter month: 1 to 12.
    package static func length(ofMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Divides and rounds down, also for negative numbers.
    package static func floorDivide(_ number: Int64, by divisor: Int64) -> Int64 {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
