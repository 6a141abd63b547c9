import CErrandOpenSSL
import ErrandTime
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
    var text: [UInt8] = []
    CivilTime(clampingSecondsSince1970: seconds).write(.extended, to: &text)
    text.append(UInt8(ascii: "Z"))
    return String(decoding: text, as: UTF8.self)
}
