import ErrandText
import ErrandTime

/// The value of the header field `Date`, in the form IMF-fixdate (RFC 9110 §5.6.7).
enum DateField {
    /// Returns the date at a number of seconds after 1970-01-01T00:00:00Z: `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func value(secondsSince1970 seconds: Int64) -> String {
        let time = CivilTime(clampingSecondsSince1970: seconds)
        let (minutes, second) = time.secondOfDay.quotientAndRemainder(dividingBy: 60)
        var text = Array("\(weekdays[Int(time.date.weekday)]), ".utf8)
        text.append(decimal: time.date.day, digits: 2)
        text += Array(" \(months[Int(time.date.month) - 1]) ".utf8)
        text.append(decimal: time.date.year, digits: 4)
        text.append(UInt8(ascii: " "))
        text.append(decimal: minutes / 60, digits: 2)
        text.append(UInt8(ascii: ":"))
        text.append(decimal: minutes % 60, digits: 2)
        text.append(UInt8(ascii: ":"))
        text.append(decimal: second, digits: 2)
        text += Array(" GMT".utf8)
        return String(decoding: text, as: UTF8.self)
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
