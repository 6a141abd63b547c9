/// A time as AWS Signature Version 4 writes it, in UTC: `20150830T123600Z`, and its day `20150830`.
package struct AWSTimestamp: Sendable, Hashable {
    /// Date and time (ISO 8601, basic format).
    package let text: String

    /// The date alone.
    package var day: String { String(text.prefix(8)) }

    /// Creates a time from the seconds since 1970; what lies outside of the years 0000 to 9999 becomes their nearer end.
    package init(secondsSince1970 seconds: Int64) {
        let seconds = min(max(seconds, Self.earliest), Self.latest)
        let day = Self.floorDivide(seconds, by: 86_400)
        let second = seconds - day * 86_400
        let (year, month, dayOfMonth) = Self.civilDate(daysSince1970: day)
        text =
            Self.digits(year, 4) + Self.digits(month, 2) + Self.digits(dayOfMonth, 2) + "T"
            + Self.digits(second / 3600, 2) + Self.digits(second / 60 % 60, 2) + Self.digits(second % 60, 2) + "Z"
    }

    /// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
    private static let (earliest, latest): (Int64, Int64) = (-62_167_219_200, 253_402_300_799)

    /// The day of the proleptic Gregorian calendar: years begin in March here, so that the leap day is their last, and
    /// come in eras of 400, after which the calendar repeats.
    private static func civilDate(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    private static func floorDivide(_ number: Int64, by divisor: Int64) -> Int64 {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
