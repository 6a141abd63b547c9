import CErrandOpenSSL
import Glibc

/// Returns the seconds since 1970 of a UTCTime or GeneralizedTime (RFC 5280 §4.1.2.5); `nil` if it is neither.
func secondsSince1970(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    guard let time else { return nil }
    return ErrorQueue.preserving {
        var calendar = tm()
        // The years range from 0 to 9999, so nothing overflows.
        return ASN1_TIME_to_tm(time, &calendar) == 1 ? Int64(timegm(&calendar)) : nil
    }
}

/// Returns a date in the form of RFC 3339: `2026-11-21T10:52:20Z`.
func dateText(_ seconds: Int64) -> String {
    var calendar = tm()
    var time = time_t(seconds)
    guard gmtime_r(&time, &calendar) != nil else { return "\(seconds) s since 1970" }
    func digits(_ number: Int32, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    let day = "\(digits(calendar.tm_year + 1900, 4))-\(digits(calendar.tm_mon + 1, 2))-\(digits(calendar.tm_mday, 2))"
    let hour = "\(digits(calendar.tm_hour, 2)):\(digits(calendar.tm_min, 2)):\(digits(calendar.tm_sec, 2))"
    return "\(day)T\(hour)Z"
}
