import ErrandTime
import Testing

@Suite("Days of the calendar")
struct CivilDateTests {
    @Test("Every day of 800 years has the date after that of the previous day")
    func calendar() {
        var year: Int64 = 1599
        var month: Int64 = 12
        var day: Int64 = 31
        let lengths: [Int64] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        for days in Int64(-135_140)...156_905 {
            let isLeap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0
            if day == lengths[Int(month) - 1] + (isLeap && month == 2 ? 1 : 0) {
                day = 1
                month = month == 12 ? 1 : month + 1
                if month == 1 { year += 1 }
            } else {
                day += 1
            }
            let date = CivilDate(daysSince1970: days)
            guard date == CivilDate(year: year, month: month, day: day), date.daysSince1970 == days else {
                Issue.record("\(days) days since 1970 are \(date) instead of \(year)-\(month)-\(day)")
                return
            }
        }
        #expect(year == 2399 && month == 8 && day == 5)
    }

    @Test("Weekdays follow each other, from a Thursday in 1970")
    func weekdays() {
        #expect(CivilDate(daysSince1970: 0).weekday == 4)
        for days in Int64(-1000)...1000 {
            let next = CivilDate(daysSince1970: days + 1).weekday
            #expect(next == (CivilDate(daysSince1970: days).weekday + 1) % 7)
        }
    }

    @Test(
        "Invalid days are rejected",
        arguments: [(2023, 2, 29), (1900, 2, 29), (2024, 4, 31), (2024, 0, 1), (2024, 13, 1)])
    func missing(year: Int64, month: Int64, day: Int64) {
        #expect(CivilDate(year: year, month: month, day: day) == nil)
    }
}
