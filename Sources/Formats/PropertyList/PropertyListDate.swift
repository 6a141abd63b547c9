import ErrandText
import ErrandTime

/// A moment in UTC, in the years 0 to 9999 of the Gregorian calendar, to the microsecond.
///
/// Binary property lists contain the seconds as a `Double`, which in this century is precise to a tenth of a
/// microsecond.
public struct PropertyListDate: Sendable, Hashable {
    /// The microseconds since 2001-01-01T00:00:00Z, the epoch of property lists; negative before it.
    public let microseconds: Int64

    /// Creates the date at a number of seconds after 2001-01-01T00:00:00Z, rounded to microseconds.
    ///
    /// Returns `nil` for a value that RFC 3339 (§1) cannot represent: NaN, or outside the years 0 to 9999.
    public init?(seconds: Double) {
        let rounded = (seconds * 1e6).rounded()
        guard let microseconds = Int64(exactly: rounded), Self.range.contains(microseconds) else { return nil }
        self.microseconds = microseconds
    }

    /// Parses the date of an XML property list, `2026-11-21T07:40:00Z`.
    ///
    /// From the right any part but the year may be missing (`2026-11Z`). Returns `nil` for anything else, and for days
    /// that the calendar does not have.
    public init?(_ text: some StringProtocol) {
        guard let fields = Fields(text) else { return nil }
        microseconds = (fields.time.secondsSince1970 - Self.epoch) * 1_000_000
    }

    /// The date in the form of RFC 3339 (§5.6): `2026-11-21T07:40:00Z`, with a fraction only if it is not zero.
    public var rfc3339: String {
        let seconds = CivilDate.floorDivide(microseconds, by: 1_000_000)
        var fraction = microseconds - seconds * 1_000_000
        var text: [UInt8] = []
        CivilTime(secondsSince1970: seconds + Self.epoch).write(.extended, to: &text)
        if fraction != 0 {
            text.append(UInt8(ascii: "."))
            var digits = 6
            while fraction.isMultiple(of: 10) {
                fraction /= 10
                digits -= 1
            }
            text.append(decimal: fraction, digits: digits)
        }
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// The seconds from 1970-01-01 to 2001-01-01.
    private static let epoch: Int64 = 978_307_200

    private static let range: ClosedRange<Int64> = {
        let years = CivilTime.fourDigitYears
        return (years.lowerBound - epoch) * 1_000_000...(years.upperBound + 1 - epoch) * 1_000_000 - 1
    }()
}

/// The numeric fields of a date in XML.
private struct Fields {
    let time: CivilTime

    init?(_ text: some StringProtocol) {
        var rest = Array(text.utf8)[...]
        guard rest.popLast() == UInt8(ascii: "Z"), let year = Self.number(&rest, digits: 4) else { return nil }
        // The fields after the year; those that are missing are the first of their kind.
        var fields: [Int64] = [1, 1, 0, 0, 0]
        for (index, separator) in "--T::".utf8.enumerated() where !rest.isEmpty {
            guard rest.popFirst() == separator, let number = Self.number(&rest, digits: 2) else { return nil }
            fields[index] = number
        }
        guard rest.isEmpty,
            let time = CivilTime(
                year: year, month: fields[0], day: fields[1], hour: fields[2], minute: fields[3], second: fields[4])
        else { return nil }
        self.time = time
    }

    private static func number(_ text: inout ArraySlice<UInt8>, digits: Int) -> Int64? {
        let field = text.prefix(digits)
        guard field.count == digits, field.allSatisfy(\.isASCIIDigit) else { return nil }
        text = text.dropFirst(digits)
        return field.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
}
