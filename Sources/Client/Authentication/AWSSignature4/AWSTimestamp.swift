import ErrandTime

/// A time in the form of AWS Signature Version 4, in UTC: `20150830T123600Z`, with its date `20150830`.
package struct AWSTimestamp: Sendable, Hashable {
    /// Date and time (ISO 8601, basic format).
    package let text: String

    /// The date alone.
    package var day: String { String(text.prefix(8)) }

    /// Creates a time from the seconds since 1970, clamped to the years 0000 to 9999.
    package init(secondsSince1970 seconds: Int64) {
        var text: [UInt8] = []
        CivilTime(clampingSecondsSince1970: seconds).write(.basic, to: &text)
        text.append(UInt8(ascii: "Z"))
        self.text = String(decoding: text, as: UTF8.self)
    }
}
