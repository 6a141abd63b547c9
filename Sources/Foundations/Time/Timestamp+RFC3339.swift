import ErrandText

extension Timestamp: CustomStringConvertible {
    /// The text of RFC 3339 in UTC with milliseconds, such as `2026-11-21T12:00:00.250Z`.
    package var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(24)
        write(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the 24 bytes of ``description``.
    package func write(to text: inout [UInt8]) {
        let seconds = CivilDate.floorDivide(milliseconds, by: 1000)
        CivilTime(secondsSince1970: seconds).write(.extended, to: &text)
        text.append(UInt8(ascii: "."))
        text.append(decimal: milliseconds - seconds * 1000, digits: 3)
        text.append(UInt8(ascii: "Z"))
    }

    /// Reads the text of RFC 3339 §5.6.
    ///
    /// It may have any offset, `t` and `z` in either case, and a fraction of any length, which is truncated to
    /// milliseconds. The leap second `23:59:60` (UTC) is read as the following second.
    ///
    /// - Returns: `nil` if the text is invalid, names a day that does not exist, or is outside of the years 0000 to
    ///   9999 in UTC.
    package init?(_ text: String) {
        var reader = RFC3339Reader(text)
        guard
            let year = reader.number(digits: 4), reader.skip("-"),
            let month = reader.number(digits: 2), reader.skip("-"),
            let day = reader.number(digits: 2), reader.skip("T", or: "t"),
            let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
            let minute = reader.number(digits: 2), minute < 60, reader.skip(":"),
            let second = reader.number(digits: 2), second <= 60,
            let fraction = reader.fraction(),
            let offset = reader.offset(),
            reader.isAtEnd,
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        let minutes = date.daysSince1970 * 1440 + hour * 60 + minute - offset
        if second == 60 {
            // Leap seconds end a day of UTC, regardless of the offset.
            guard CivilDate.floorDivide(minutes + 1, by: 1440) * 1440 == minutes + 1 else { return nil }
        }
        let milliseconds = minutes * 60_000 + second * 1000 + (second == 60 ? 0 : fraction)
        guard (Timestamp.earliest.milliseconds...Timestamp.latest.milliseconds).contains(milliseconds) else {
            return nil
        }
        self.init(milliseconds: milliseconds)
    }
}

/// Reads the parts of a timestamp's text from the front.
private struct RFC3339Reader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = Substring(text).utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Reads exactly the given number of decimal digits.
    mutating func number(digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Skips one of two ASCII characters.
    mutating func skip(_ character: Unicode.Scalar, or other: Unicode.Scalar? = nil) -> Bool {
        guard let first = rest.first, Unicode.Scalar(first) == character || Unicode.Scalar(first) == other else {
            return false
        }
        rest.removeFirst()
        return true
    }

    /// Reads the milliseconds of an optional fraction; returns `nil` for a point without digits.
    mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        guard var value = digit() else { return nil }
        var places = 1
        while let digit = digit() {
            if places < 3 { value = value * 10 + digit }
            places = min(places + 1, 3)
        }
        while places < 3 {
            value *= 10
            places += 1
        }
        return value
    }

    /// Reads the minutes by which local time is ahead of UTC.
    mutating func offset() -> Int64? {
        if skip("Z", or: "z") { return 0 }
        let sign: Int64
        if skip("+") {
            sign = 1
        } else if skip("-") {
            sign = -1
        } else {
            return nil
        }
        guard let hours = number(digits: 2), hours < 24, skip(":"), let minutes = number(digits: 2), minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }

    private mutating func digit() -> Int64? {
        guard let first = rest.first, first.isASCIIDigit else { return nil }
        rest.removeFirst()
        return Int64(first - UInt8(ascii: "0"))
    }
}
