/// A moment in UTC, in the years 0 to 9999 of the Gregorian calendar, to the microsecond.
///
/// Binary property lists hold the seconds in a `Double`, which in this century is precise to a tenth of a microsecond.
public struct PropertyListDate: Sendable, Hashable {
    /// The microseconds since 2001-01-01T00:00:00Z, the epoch of property lists; negative before it.
    public let microseconds: Int64

    /// The moment that many seconds after 2001-01-01T00:00:00Z, rounded to microseconds.
    ///
    /// `nil` for what RFC 3339 (§1) cannot write: no number, or outside of the years 0 to 9999.
    public init?(seconds: Double) {
        let rounded = (seconds * 1e6).rounded()
        guard let microseconds = Int64(exactly: rounded), Self.range.contains(microseconds) else { return nil }
        self.microseconds = microseconds
    }

    /// Reads what XML property lists hold: `2026-11-21T07:40:00Z`, from the right any part but the year may be missing
    /// (`2026-11Z`).
    ///
    /// `nil` for anything else, and for days that the calendar does not have.
    public init?(_ text: some StringProtocol) {
        guard let fields = Fields(text) else { return nil }
        let days = Self.days(beforeYear: fields.year) + Self.days(beforeMonth: fields.month, year: fields.year)
        let seconds = ((days + fields.day - 1) * 24 + fields.hour) * 3600 + fields.minute * 60 + fields.second
        microseconds = Int64(seconds - Self.epochDays * 86400) * 1_000_000
    }

    /// The moment as RFC 3339 (§5.6) writes it: `2026-11-21T07:40:00Z`, a fraction only if there is one.
    public var rfc3339: String {
        let (seconds, fraction) = Self.divide(microseconds, by: 1_000_000)
        let (days, time) = Self.divide(seconds + Int64(Self.epochDays) * 86400, by: 86400)
        let (year, month, day) = Self.date(day: Int(days))
        let clock = [time / 3600, time / 60 % 60, time % 60].map { Self.digits(Int($0), 2) }.joined(separator: ":")
        let text = "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))T\(clock)"
        guard fraction != 0 else { return text + "Z" }
        let zeros = Self.digits(Int(fraction), 6).reversed().prefix { $0 == "0" }.count
        return text + "." + Self.digits(Int(fraction), 6).dropLast(zeros) + "Z"
    }

    // MARK: Calendar

    /// The days from 0000-01-01 to 2001-01-01.
    private static let epochDays = days(beforeYear: 2001)

    private static let range: ClosedRange<Int64> = {
        let day: Int64 = 86_400_000_000
        let first = -Int64(epochDays) * day
        return first...first + Int64(days(beforeYear: 10_000)) * day - 1
    }()

    /// The days from 0000-01-01 to the first day of a year: the year 0 is a leap year.
    private static func days(beforeYear year: Int) -> Int {
        guard year > 0 else { return 0 }
        let last = year - 1
        return 365 * year + last / 4 - last / 100 + last / 400 + 1
    }

    private static func days(beforeMonth month: Int, year: Int) -> Int {
        (1..<month).reduce(0) { $0 + days(inMonth: $1, year: year) }
    }

    fileprivate static func days(inMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The date of a day, counted from 0000-01-01.
    private static func date(day: Int) -> (year: Int, month: Int, day: Int) {
        // 400 years have 146 097 days; what the average says is off by one year at most.
        var year = day * 400 / 146_097
        while days(beforeYear: year) > day { year -= 1 }
        while days(beforeYear: year + 1) <= day { year += 1 }
        var rest = day - days(beforeYear: year)
        var month = 1
        while rest >= days(inMonth: month, year: year) {
            rest -= days(inMonth: month, year: year)
            month += 1
        }
        return (year, month, rest + 1)
    }

    /// Division that rounds down, so that the remainder is never negative.
    private static func divide(_ number: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}

/// The numbers of a date in XML.
private struct Fields {
    var year = 0
    var month = 1
    var day = 1
    var hour = 0
    var minute = 0
    var second = 0

    init?(_ text: some StringProtocol) {
        var rest = Array(text.utf8)[...]
        guard rest.popLast() == UInt8(ascii: "Z"), let year = Self.number(&rest, digits: 4) else { return nil }
        self.year = year
        for (separator, field) in Self.layout where !rest.isEmpty {
            guard rest.popFirst() == separator, let number = Self.number(&rest, digits: 2) else { return nil }
            self[keyPath: field] = number
        }
        guard rest.isEmpty, (1...12).contains(month),
            (1...PropertyListDate.days(inMonth: month, year: year)).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
    }

    /// What follows the year, each behind its separator.
    private static var layout: [(UInt8, WritableKeyPath<Fields, Int>)] {
        [
            (UInt8(ascii: "-"), \.month), (UInt8(ascii: "-"), \.day), (UInt8(ascii: "T"), \.hour),
            (UInt8(ascii: ":"), \.minute), (UInt8(ascii: ":"), \.second),
        ]
    }

    private static func number(_ text: inout ArraySlice<UInt8>, digits: Int) -> Int? {
        let field = text.prefix(digits)
        guard field.count == digits else { return nil }
        text = text.dropFirst(digits)
        return field.reduce(0 as Int?) { number, byte in
            guard let number, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            return number * 10 + Int(byte - UInt8(ascii: "0"))
        }
    }
}
