import ErrandPropertyList
import ErrandSupport
import Testing

@Suite("Dates of property lists")
struct PropertyListDateTests {
    @Test(
        "Dates and texts round-trip, across leap days and centuries",
        arguments: [
            ("2001-01-01T00:00:00Z", 0), ("2000-02-29T12:00:00Z", -26_481_600),
            ("1900-03-01T00:00:00Z", -3_182_198_400),
            ("0001-01-01T00:00:00Z", -63_113_904_000), ("9999-12-31T23:59:59Z", 252_423_993_599),
            ("2024-12-31T23:59:59Z", 757_382_399),
        ] as [(String, Double)])
    func moments(text: String, seconds: Double) throws {
        let date = try #require(PropertyListDate(text))
        #expect(date == PropertyListDate(seconds: seconds))
        #expect(date.rfc3339 == text)
    }

    @Test("Every day of four centuries is the one after the day before")
    func calendar() throws {
        var (year, month, day) = (1900, 1, 1)
        let first = try #require(PropertyListDate("1900-01-01Z")).microseconds / 1_000_000
        let days = TestBuild.rounds(146_097)
        for number in 0..<days {
            let date = try #require(PropertyListDate(seconds: Double(first + Int64(number) * 86400)))
            let expected = "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
            guard date.rfc3339 == expected + "T00:00:00Z", PropertyListDate(expected + "Z") == date else {
                Issue.record("\(expected) is \(date.rfc3339)")
                return
            }
            let isLeap = year % 400 == 0 || year % 4 == 0 && year % 100 != 0
            let length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
            (day, month) = day == length ? (1, month + 1) : (day + 1, month)
            if month == 13 { (month, year) = (1, year + 1) }
        }
        #expect(days < 146_097 || (year, month, day) == (2300, 1, 1))
    }

    @Test("A fraction has as many digits as it needs, six at most")
    func fractions() throws {
        for (seconds, text) in [
            (0.5, "2001-01-01T00:00:00.5Z"), (0.000001, "2001-01-01T00:00:00.000001Z"),
            (0.0000001, "2001-01-01T00:00:00Z"),
            (-0.25, "2000-12-31T23:59:59.75Z"), (1.10, "2001-01-01T00:00:01.1Z"),
            (-86400.125, "2000-12-30T23:59:59.875Z"),
        ] {
            #expect(PropertyListDate(seconds: seconds)?.rfc3339 == text)
        }
    }

    @Test("Smaller units may be missing")
    func shortDates() {
        for (text, whole) in [
            ("2026Z", "2026-01-01T00:00:00Z"), ("2026-11Z", "2026-11-01T00:00:00Z"),
            ("2026-11-21Z", "2026-11-21T00:00:00Z"),
            ("2026-11-21T07Z", "2026-11-21T07:00:00Z"), ("2026-11-21T07:40Z", "2026-11-21T07:40:00Z"),
        ] {
            #expect(PropertyListDate(text)?.rfc3339 == whole)
        }
    }

    @Test(
        "An invalid date is rejected",
        arguments: [
            "", "Z", "2026-11-21T07:40:00", "2026-11-21T07:40:00+00:00", "2026-11-21 07:40:00Z",
            "2026-11-21T07:40:00.5Z",
            "26-11-21T07:40:00Z", "2026-13-01Z", "2026-00-01Z", "2026-02-29Z", "1900-02-29Z", "2026-11-31Z",
            "2026-11-00Z",
            "2026-11-21T24:00:00Z", "2026-11-21T07:60:00Z", "2026-11-21T07:40:60Z", "2026-1-1Z", "2026-+1-01Z",
            "-2026Z", "2026-11-21T07:40:00ZZ", "２０２６Z",
        ])
    func malformed(text: String) {
        #expect(PropertyListDate(text) == nil)
    }

    @Test("Dates outside the years 0 to 9999 are rejected")
    func range() throws {
        #expect(PropertyListDate(seconds: -63_145_526_400)?.rfc3339 == "0000-01-01T00:00:00Z")
        #expect(PropertyListDate(seconds: -63_145_526_401) == nil)
        #expect(PropertyListDate(seconds: 252_423_993_599.9999)?.rfc3339.prefix(19) == "9999-12-31T23:59:59")
        for seconds in [252_423_993_600, 1e300, -1e300, .infinity, -.infinity, .nan] {
            #expect(PropertyListDate(seconds: seconds) == nil)
        }
    }
}
