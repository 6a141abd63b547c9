import ErrandTime
import Testing

@Suite("CivilTime")
struct CivilTimeTests {
    @Test(
        "Seconds since 1970 and texts stand for each other",
        arguments: [
            (0, "1970-01-01T00:00:00"), (-1, "1969-12-31T23:59:59"), (951_782_400, "2000-02-29T00:00:00"),
            (CivilTime.fourDigitYears.lowerBound, "0000-01-01T00:00:00"),
            (CivilTime.fourDigitYears.upperBound, "9999-12-31T23:59:59"),
        ] as [(Int64, String)])
    func texts(seconds: Int64, text: String) {
        let time = CivilTime(secondsSince1970: seconds)
        #expect(time.secondsSince1970 == seconds)
        var (extended, basic): ([UInt8], [UInt8]) = ([], [])
        time.write(.extended, to: &extended)
        time.write(.basic, to: &basic)
        #expect(extended == Array(text.utf8))
        #expect(basic == Array(text.filter { $0 != "-" && $0 != ":" }.utf8))
    }

    @Test("Times that do not exist are refused")
    func refused() {
        #expect(CivilTime(year: 2026, month: 2, day: 29, hour: 0, minute: 0, second: 0) == nil)
        #expect(CivilTime(year: 2026, month: 2, day: 28, hour: 24, minute: 0, second: 0) == nil)
        #expect(CivilTime(year: 2026, month: 2, day: 28, hour: 23, minute: 60, second: 0) == nil)
        #expect(CivilTime(year: 2026, month: 2, day: 28, hour: 23, minute: 59, second: 60) == nil)
        #expect(CivilTime(year: 2026, month: 2, day: 28, hour: 23, minute: 59, second: 59) != nil)
    }
}
