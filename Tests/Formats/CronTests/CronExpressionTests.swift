import ErrandCron
import ErrandSupport
import Testing

@Suite("Cron expressions")
struct CronExpressionTests {
    @Test(
        "Names, in any case, stand for numbers",
        arguments: [
            ("0 0 * JAN,dec *", "0 0 * 1,12 *"), ("0 0 * * Sun", "0 0 * * 7"), ("0 0 * * sun", "0 0 * * 0"),
            ("0 0 * * MON-FRI", "0 0 * * 1-5"), ("0 0 * * FRI-SUN", "0 0 * * 5-7"), ("0 0 * * 6-7", "0 0 * * 6,0"),
            ("0 0 * * SUN-SUN", "0 0 * * SUN"), ("0 0 * * 0-sun", "0 0 * * 0"), ("0 0 * * 7-SUN", "0 0 * * 7"),
            ("0 0 * * SUN-MON", "0 0 * * 0,1"), ("0 0 * * MON-SUN", "0 0 * * *"),
            ("0 0 ? * 1", "0 0 * * 1"), ("  0\t0  1 * ? ", "0 0 1 * *"), ("*/20 * * * *", "0,20,40 * * * *"),
            ("5-30/10 * * * *", "5,15,25 * * * *"), ("@yearly", "0 0 1 1 *"), ("@annually", "0 0 1 1 *"),
            ("@monthly", "0 0 1 * *"), ("@weekly", "0 0 * * 0"), ("@DAILY", "0 0 * * *"), ("@midnight", "0 0 * * *"),
            ("@hourly", "0 * * * *"),
        ])
    func same(one: String, other: String) throws {
        let (one, other) = (try CronExpression(one), try CronExpression(other))
        for start in ["2026-01-01T00:00Z", "2027-11-21T13:31Z"] as [Moment] {
            #expect(one.times(20, after: start) == other.times(20, after: start))
        }
        #expect(one != other, "they were written differently")
    }

    @Test("Its description is the original text")
    func text() throws {
        #expect(try CronExpression("0  12 * * mon").description == "0  12 * * mon")
    }

    @Test(
        "A fault is reported with its location",
        arguments: [
            ("", 1, "expected five fields: minute, hour, day of the month, month, day of the week; found 0"),
            ("* * * *", 8, "expected five fields: minute, hour, day of the month, month, day of the week; found 4"),
            (
                "* * * * * *", 11,
                "expected five fields: minute, hour, day of the month, month, day of the week; found 6"
            ),
            ("60 * * * *", 1, "the minute must be 0 to 59, found 60"),
            ("0 24 * * *", 3, "the hour must be 0 to 23, found 24"),
            ("0 0 0 * *", 5, "the day of the month must be 1 to 31, found 0"),
            ("0 0 * 13 *", 7, "the month must be 1 to 12, found 13"),
            ("0 0 * * 8", 9, "the day of the week must be 0 to 7, found 8"),
            ("0 0 * * 1,2,x", 13, "unknown day of the week \"x\"; expected SUN to SAT"),
            ("0 noon * * *", 3, "unknown hour \"noon\"; expected a number"),
            ("5-1 * * * *", 1, "the range is reversed"),
            ("0 0 * * FRI-MON", 9, "the range is reversed"),
            ("5/10 * * * *", 2, "a step needs a range before it, for example 5-59"),
            ("*/0 * * * *", 3, "expected a step from 1 to 59, found 0"),
            ("*/90 * * * *", 3, "expected a step from 1 to 59, found 90"),
            ("*/ * * * *", 3, "expected the number of a step in the minute, found nothing"),
            ("1, * * * *", 3, "expected a value in the minute, found nothing"),
            ("1-2-3 * * * *", 4, "expected a comma or the end of the field in the minute, found \"-\""),
            ("? * * * *", 1, "? is allowed in the two day fields only"),
            ("0 0 L * *", 5, "unknown day of the month \"L\"; expected a number"),
            ("0 0 * * 5#2", 10, "expected a comma or the end of the field in the day of the week, found \"#\""),
            ("-1 * * * *", 1, "expected a value in the minute, found \"-\""),
            ("99999999999999999999 * * * *", 1, "the minute must be 0 to 59, found 9999999999999999"),
            (
                "@reboot", 1,
                "expected one of @annually, @daily, @hourly, @midnight, @monthly, @weekly, @yearly with no fields"
            ),
            (
                "@daily UTC", 1,
                "expected one of @annually, @daily, @hourly, @midnight, @monthly, @weekly, @yearly with no fields"
            ),
            ("0 0 31 2 *", 5, "none of the months has this day: it never matches"),
            ("0 0 30,31 FEB ?", 5, "none of the months has this day: it never matches"),
            ("0 0 31 4,6,9,11 */2", 5, "none of the months has this day: it never matches"),
        ])
    func faults(text: String, column: Int, reason: String) {
        #expect {
            try CronExpression(text)
        } throws: { error in
            let error = error as? CronError
            #expect(error?.column == column)
            #expect(error?.reason == reason)
            return error?.description == "column \(column): \(reason)"
        }
    }

    @Test("A weekday can match if the day of the month never does")
    func weekday() throws {
        #expect(try CronExpression("0 0 31 2 MON").times(1, after: "2026-01-01T00:00Z") == ["2026-02-02T00:00Z"])
    }

    @Test("A very long text is rejected before parsing")
    func long() {
        #expect {
            try CronExpression(String(repeating: "1,", count: 5000) + "1 * * * *")
        } throws: { error in
            (error as? CronError)?.reason == "an expression has at most 1024 bytes"
        }
    }

    @Test("No text traps", arguments: TestBuild.seeds(20))
    func anything(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let alphabet = Array("0123456789*/,-?@ \tJANSUNé\u{301}🕐")
        for _ in 0..<2000 {
            let length = Int.random(in: 0..<24, using: &random)
            let text = String((0..<length).compactMap { _ in alphabet.randomElement(using: &random) })
            do throws(CronError) {
                let expression = try CronExpression(text)
                #expect(expression.times(1, after: "2026-01-01T00:00Z").count == 1, "\(text)")
            } catch {
                #expect((1...text.count + 1).contains(error.column), "\(text)")
            }
        }
    }
}
