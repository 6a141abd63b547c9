/// A date in a header field, read as leniently as RFC 6265 §5.1.1 wants it of cookies.
///
/// All three forms that RFC 9110 §5.6.7 has for dates are among what it reads. The order of the parts, the day of the
/// week and the time zone mean nothing; everything is UTC. Years of two digits are from 1970 to 2069.
package enum HTTPDate {
    /// The seconds from 1970-01-01 UTC to the date in `text`; `nil` when it holds none.
    package static func seconds(in text: Substring) -> Int64? {
        var time: (hour: Int64, minute: Int64, second: Int64)?
        var day: Int64?
        var month: Int64?
        var writtenYear: Int64?
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            if time == nil, let found = Self.time(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = Self.month(token) {
                month = found
            } else if writtenYear == nil, let found = number(token, digits: 2...4) {
                writtenYear = found
            }
        }
        guard let time, let day, let month, let writtenYear else { return nil }
        let year =
            switch writtenYear {
            case 70...99: writtenYear + 1900
            case 0...69: writtenYear + 2000
            default: writtenYear
            }
        guard year >= 1601, (1...length(ofMonth: month, year: year)).contains(day),
            time.hour <= 23, time.minute <= 59, time.second <= 59
        else { return nil }
        return ((days(year: year, month: month, day: day) * 24 + time.hour) * 60 + time.minute) * 60 + time.second
    }

    /// `delimiter` of the grammar: what stands between two tokens.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// `hms-time`: three numbers of one or two digits; anything but a digit may follow.
    private static func time(_ token: Substring.UTF8View) -> (hour: Int64, minute: Int64, second: Int64)? {
        let fields = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[0].allSatisfy(isDigit), fields[1].allSatisfy(isDigit),
            let hour = number(fields[0], digits: 1...2), let minute = number(fields[1], digits: 1...2),
            let second = number(fields[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// The number that a token begins with, when it has so many digits; anything but a digit may follow.
    private static func number(_ token: Substring.UTF8View, digits: ClosedRange<Int>) -> Int64? {
        let text = token.prefix(while: isDigit)
        guard digits.contains(text.count) else { return nil }
        return text.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// `month`: the first three letters count.
    private static func month(_ token: Substring.UTF8View) -> Int64? {
        // The bit by which small letters differ from capitals turns no other byte into a letter.
        let name = token.prefix(3).map { $0 | 0x20 }
        return months.firstIndex { $0.utf8.elementsEqual(name) }.map { Int64($0) + 1 }
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func length(ofMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The days from 1970-01-01 to a day of the Gregorian calendar from the year 1 on.
    ///
    /// Counted from 1 March, which puts the leap day at the end of a year.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let years = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return years * 365 + years / 4 - years / 100 + years / 400 + dayOfYear - 719_468
    }
}
