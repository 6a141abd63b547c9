import ErrandText
import ErrandTime

/// A date in a header field, parsed as leniently as RFC 6265 §5.1.1 requires for cookies.
///
/// All three date formats of RFC 9110 §5.6.7 are accepted. The order of the parts, the day of the week and the time
/// zone are ignored; the time is UTC. Two-digit years are from 1970 to 2069.
package enum HTTPDate {
    /// Returns the seconds from 1970-01-01 UTC to the date in `text`, or `nil` if it contains none.
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
        guard year >= 1601 else { return nil }
        return CivilTime(
            year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second
        )?.secondsSince1970
    }

    /// Returns true for a `delimiter` of the grammar, which separates tokens.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// Parses `hms-time`: three numbers of one or two digits; anything but a digit may follow.
    private static func time(_ token: Substring.UTF8View) -> (hour: Int64, minute: Int64, second: Int64)? {
        let fields = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[0].allSatisfy(\.isASCIIDigit), fields[1].allSatisfy(\.isASCIIDigit),
            let hour = number(fields[0], digits: 1...2), let minute = number(fields[1], digits: 1...2),
            let second = number(fields[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// Parses the number at the start of a token if it has an allowed count of digits; anything but a digit may follow.
    private static func number(_ token: Substring.UTF8View, digits: ClosedRange<Int>) -> Int64? {
        let text = token.prefix(while: \.isASCIIDigit)
        guard digits.contains(text.count) else { return nil }
        return text.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Parses `month` by its first three letters.
    private static func month(_ token: Substring.UTF8View) -> Int64? {
        // The bit that distinguishes lower case from upper case turns no other byte into a letter.
        let name = token.prefix(3).map { $0 | 0x20 }
        return months.firstIndex { $0.utf8.elementsEqual(name) }.map { Int64($0) + 1 }
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
}
