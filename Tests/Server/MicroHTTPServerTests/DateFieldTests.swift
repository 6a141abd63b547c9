import Testing

@testable import MicroHTTPServer

@Suite("DateField")
struct DateFieldTests {
    // Dates computed with `date -u -d @… '+%a, %d %b %Y %T GMT'`.
    @Test(
        "a date has the day of the week, and two digits for each number but the year",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_825_600, "Tue, 29 Feb 2000 12:00:00 GMT"), (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
        ] as [(Int64, String)])
    func value(seconds: Int64, expected: String) {
        #expect(DateField.value(secondsSince1970: seconds) == expected)
    }
}
