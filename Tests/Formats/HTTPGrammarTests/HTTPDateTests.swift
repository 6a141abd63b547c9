import ErrandHTTPGrammar
import Testing

@Suite("HTTPDate")
struct HTTPDateTests {
    // Seconds computed with `date -u -d … +%s`.
    private static let readable: [(String, Int64)] = [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        // The parts may have any order, and other words are skipped.
        ("1994 Nov 6 08:49:37", 784_111_777),
        ("08:49:37 6 1994 November whatever", 784_111_777),
        ("nov/6/94/8:49:37", 784_111_777),
        ("nOvEmBeR~6~1994~8:49:37", 784_111_777),
        ("NotADay,6-Nov-94 08:49:37 +0500 (XYZ)", 784_111_777),
        // The first of several is used.
        ("6 Nov 1994 08:49:37 10:11:12 Dec 2001", 784_111_777),
        ("6 94 Nov 08:49:37", 784_111_777),
        // Anything but a digit may follow a number.
        ("6th Nov 1994AD 08:49:37.123", 784_111_777),
        ("6 Nov 1994 08:49:37Z", 784_111_777),
        ("6 Nov 1994 08:49:37:99", 784_111_777),
        // Fields of one digit.
        ("Sun, 6 Nov 1994 8:9:7 GMT", 784_109_347),
        // An invalid time, whose first number is used as the day.
        ("12:30 Nov 1994 08:49:37", 784_630_177),
        ("6 Nov :: 1994 08:49:37", 784_111_777),
        // Years of two digits.
        ("1 Jan 70 00:00:00", 0),
        ("31 Dec 99 23:59:59", 946_684_799),
        ("1 Jan 00 00:00:00", 946_684_800),
        ("31 Dec 69 23:59:59", 3_155_759_999),
        ("31 Dec 069 23:59:59", 3_155_759_999),
        // Leap days, and the ends of the range.
        ("29 Feb 2000 12:00:00", 951_825_600),
        ("29 Feb 2024 12:00:00", 1_709_208_000),
        ("1 Mar 1900 00:00:00", -2_203_891_200),
        ("1 Jan 1601 00:00:00", -11_644_473_600),
        ("31 Dec 9999 23:59:59", 253_402_300_799),
        ("31 Dec 1969 23:59:59", -1),
    ]

    @Test("Dates are parsed in all forms", arguments: readable)
    func reads(_ text: String, _ seconds: Int64) {
        #expect(HTTPDate.seconds(in: text[...]) == seconds)
    }

    @Test(
        "An incomplete or invalid date is rejected",
        arguments: [
            "", "GMT", "6 Nov 1994", "Nov 1994 08:49:37", "6 1994 08:49:37", "6 Nov 08:49:37", "08:49:37",
            // Numbers with too many digits.
            "006 Nov 1994 08:49:37", "6 Nov 19944 08:49:37", "6 Nov 1994 008:49:37", "6 Nov 1994 08:49:377",
            "6 Nov 99999999999999999999 08:49:37", "6 Nov 4 08:49:37",
            // Out of range.
            "0 Nov 1994 08:49:37", "32 Dec 1994 08:49:37", "31 Nov 1994 08:49:37", "29 Feb 1900 00:00:00",
            "29 Feb 2023 00:00:00", "6 Nov 1600 08:49:37", "6 Nov 100 08:49:37",
            "6 Nov 1994 24:00:00", "6 Nov 1994 08:60:37", "6 Nov 1994 08:49:60",
            // Not a month, although it looks like one.
            "6 No 1994 08:49:37", "6 11 1994 08:49:37", "6 \u{4E}\u{303}ov 1994 08:49:37", "6 Nóv 1994 08:49:37",
            "6 Nov 1994 ::08:49:37", "6 Nov 1994 08::37", "6 Nov 1994 08:49:",
        ])
    func refuses(_ text: String) {
        #expect(HTTPDate.seconds(in: text[...]) == nil)
    }

    @Test("Every day of four centuries follows the day before")
    func calendar() {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var next: Int64 = -11_644_473_600
        for year in 1601...2001 {
            for month in months {
                for day in 1...31 {
                    guard let seconds = HTTPDate.seconds(in: "\(day) \(month) \(year) 00:00:00") else { continue }
                    // An expectation for each of 146,000 days would take ten seconds with the thread sanitizer.
                    guard seconds == next else {
                        Issue.record("\(day) \(month) \(year) is \(seconds)")
                        return
                    }
                    next = seconds + 86_400
                }
            }
        }
        // 2002-01-01
        #expect(next == 1_009_843_200)
    }
}
