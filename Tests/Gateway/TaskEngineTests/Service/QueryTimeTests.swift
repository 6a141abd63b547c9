import ErrandTime
import Testing

@testable import ErrandTaskEngine

@Suite("QueryTime")
struct QueryTimeTests {
    @Test(
        "A time is absolute, a date, or a duration before the present",
        arguments: [
            ("2026-11-21T12:00:00.250+01:00", "2026-11-21T11:00:00.250Z", false),
            ("2026-11-21", "2026-11-21T00:00:00.000Z", false),
            ("-24h", "2026-11-20T12:00:00.000Z", true),
            ("-250ms", "2026-11-21T11:59:59.750Z", true),
            ("-90", "2026-11-21T11:58:30.000Z", true),
            ("-0s", "2026-11-21T12:00:00.000Z", true),
            ("-7d", "2026-11-14T12:00:00.000Z", true),
            ("-99999999d", "0000-01-01T00:00:00.000Z", true),
        ])
    func forms(text: String, expected: String, isRelative: Bool) throws {
        let now = try #require(Timestamp("2026-11-21T12:00:00Z"))
        let time = try #require(QueryTime(text, at: now))
        #expect(time.moment.description == expected)
        #expect(time.relativeText == (isRelative ? text : nil))
    }

    @Test(
        "Any other text is refused",
        arguments: [
            "", "-", "--1h", "-1w", "- 1h", "24h", "+1h", "now", "2026", "2026-11", "2026-02-30", "2026-11-21T12:00",
            "-2026-11-21", "1795262400",
        ])
    func refused(text: String) {
        #expect(QueryTime(text, at: .earliest) == nil)
    }
}
