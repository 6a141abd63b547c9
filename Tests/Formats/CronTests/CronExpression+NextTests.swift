import ErrandCron
import ErrandSupport
import ErrandTime
import Testing

@Suite("Next time of an expression")
struct CronExpressionNextTests {
    struct Row: CustomTestStringConvertible {
        var expression: String
        var start: Moment
        var times: [Moment]

        init(_ expression: String, _ start: Moment, _ times: Moment...) {
            (self.expression, self.start, self.times) = (expression, start, times)
        }

        var testDescription: String { expression }
    }

    // The results of Python's croniter 7.
    static let rows = [
        Row(
            "* * * * *", "2023-10-09T23:22:50Z", "2023-10-09T23:23:00Z", "2023-10-09T23:24:00Z", "2023-10-09T23:25:00Z"),
        Row(
            "*/15 * * * *", "2023-12-27T23:41:59Z", "2023-12-27T23:45:00Z", "2023-12-28T00:00:00Z",
            "2023-12-28T00:15:00Z"),
        Row(
            "5 4 * * *", "2023-09-01T14:49:15Z", "2023-09-02T04:05:00Z", "2023-09-03T04:05:00Z", "2023-09-04T04:05:00Z"),
        Row(
            "0 0 1 1 *", "2023-11-02T05:07:23Z", "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        Row(
            "0 0 29 2 *", "2023-08-28T07:24:34Z", "2024-02-29T00:00:00Z", "2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"
        ),
        Row(
            "0 12 * * MON-FRI", "2023-02-19T07:00:46Z", "2023-02-20T12:00:00Z", "2023-02-21T12:00:00Z",
            "2023-02-22T12:00:00Z"),
        Row(
            "30 6 1,15 * *", "2023-04-14T08:11:58Z", "2023-04-15T06:30:00Z", "2023-05-01T06:30:00Z",
            "2023-05-15T06:30:00Z"),
        Row(
            "0 0 1 * 1", "2023-07-06T02:08:39Z", "2023-07-10T00:00:00Z", "2023-07-17T00:00:00Z", "2023-07-24T00:00:00Z"),
        Row(
            "0 0 13 * FRI", "2023-10-15T04:08:00Z", "2023-10-20T00:00:00Z", "2023-10-27T00:00:00Z",
            "2023-11-03T00:00:00Z"),
        Row(
            "15 10 * */3 *", "2023-01-07T06:10:55Z", "2023-01-07T10:15:00Z", "2023-01-08T10:15:00Z",
            "2023-01-09T10:15:00Z"),
        Row(
            "59 23 31 12 *", "2023-03-10T10:12:34Z", "2023-12-31T23:59:00Z", "2024-12-31T23:59:00Z",
            "2025-12-31T23:59:00Z"),
        Row(
            "0 22 * * 1-5", "2023-11-21T06:11:44Z", "2023-11-21T22:00:00Z", "2023-11-22T22:00:00Z",
            "2023-11-23T22:00:00Z"),
        Row(
            "23 0-20/2 * * *", "2023-04-13T09:01:23Z", "2023-04-13T10:23:00Z", "2023-04-13T12:23:00Z",
            "2023-04-13T14:23:00Z"),
        Row(
            "5 0 * 8 *", "2023-07-06T04:16:04Z", "2023-08-01T00:05:00Z", "2023-08-02T00:05:00Z", "2023-08-03T00:05:00Z"),
        Row(
            "0 0,12 1 */2 *", "2023-06-10T19:37:00Z", "2023-07-01T00:00:00Z", "2023-07-01T12:00:00Z",
            "2023-09-01T00:00:00Z"),
        Row(
            "0 4 8-14 * *", "2023-10-22T22:21:04Z", "2023-11-08T04:00:00Z", "2023-11-09T04:00:00Z",
            "2023-11-10T04:00:00Z"),
        Row(
            "*/7 1-5 * 2,4 SUN", "2023-05-12T09:30:44Z", "2024-02-04T01:00:00Z", "2024-02-04T01:07:00Z",
            "2024-02-04T01:14:00Z"),
        Row(
            "10-20/5,40 8 * jan,Dec sat", "2023-06-06T15:30:45Z", "2023-12-02T08:10:00Z", "2023-12-02T08:15:00Z",
            "2023-12-02T08:20:00Z"),
        Row(
            "0 0 31 * *", "2023-03-02T08:01:47Z", "2023-03-31T00:00:00Z", "2023-05-31T00:00:00Z", "2023-07-31T00:00:00Z"
        ),
        Row(
            "0 0 30 4 *", "2023-06-28T12:01:35Z", "2024-04-30T00:00:00Z", "2025-04-30T00:00:00Z", "2026-04-30T00:00:00Z"
        ),
        Row(
            "1 1 * * 7", "2023-07-12T12:37:53Z", "2023-07-16T01:01:00Z", "2023-07-23T01:01:00Z", "2023-07-30T01:01:00Z"),
        Row(
            "0 9 * * 6,0", "2023-01-15T01:45:11Z", "2023-01-15T09:00:00Z", "2023-01-21T09:00:00Z",
            "2023-01-22T09:00:00Z"),
        Row(
            "45 23 28-31 * *", "2023-10-07T03:48:15Z", "2023-10-28T23:45:00Z", "2023-10-29T23:45:00Z",
            "2023-10-30T23:45:00Z"),
        Row(
            "0 0 * 2 *", "2023-08-12T16:22:57Z", "2024-02-01T00:00:00Z", "2024-02-02T00:00:00Z", "2024-02-03T00:00:00Z"),
    ]

    @Test("In UTC it agrees with other implementations of cron", arguments: rows)
    func others(row: Row) throws {
        #expect(try CronExpression(row.expression).times(3, after: row.start) == row.times)
    }

    @Test("It is later than the given instant, even if that matches")
    func later() throws {
        let daily = try CronExpression("@daily")
        #expect(daily.times(1, after: "2026-01-01T00:00Z") == ["2026-01-02T00:00Z"])
        #expect(daily.times(1, after: "2025-12-31T23:59:59Z") == ["2026-01-01T00:00Z"])
    }

    @Test("29 February is found across a century year without a leap day, and on a given weekday 40 years ahead")
    func leapDay() throws {
        #expect(try CronExpression("0 0 29 2 *").times(1, after: "2096-03-01T00:00Z") == ["2104-02-29T00:00Z"])
        // Both day fields have to match if one begins with a star: leap days on a Sunday.
        let sunday = try CronExpression("0 0 29 2 */7")
        #expect(sunday.times(2, after: "2060-03-01T00:00Z") == ["2088-02-29T00:00Z", "2128-02-29T00:00Z"])
    }

    // MARK: Changes of the clock

    /// Returns a random zone for the first 12 days of 1970: changes of whole minutes, forward and back, one each day.
    private static func zone(_ random: inout SplitMix64) -> ScriptedZone {
        var offset = Int64.random(in: -48...48, using: &random) * 900
        var zone = ScriptedZone(first: offset, changes: [])
        for day in Int64(1)...5 where Bool.random(using: &random) {
            let shift = [1800, 3600, 3600, 7200, 86_400].randomElement(using: &random) ?? 3600
            offset += offset > 0 ? -Int64(shift) : Int64(shift)
            zone.changes.append((day * 172_800 + Int64.random(in: 0..<1440, using: &random) * 60, offset))
        }
        return zone
    }

    private static func expression(_ random: inout SplitMix64) throws -> CronExpression {
        let minutes = ["0", "30", "*/15", "7,52", "*"], hours = ["*", "2", "0", "1-3", "*/6", "23,0"]
        let days = ["*", "*", "*/2", "3,9", "10-12"], weekdays = ["*", "*", "*", "1-5", "SUN"]
        return try CronExpression(
            [minutes, hours, days, ["*"], weekdays].map { $0.randomElement(using: &random) ?? "*" }
                .joined(separator: " "))
    }

    /// Returns all times of two weeks by testing each minute: the literal form of the rule.
    private static func slow(_ expression: CronExpression, _ zone: ScriptedZone, hours: Set<Int64>) -> [Int64] {
        // With a zone without changes, which other tests cover. The clocks of the random zones differ from it by less
        // than a week.
        var meant: Set<Int64> = []
        var last = Int64(-7 * 86_400)
        while let next = expression.next(after: last, in: FixedOffset.utc), next < 21 * 86_400 {
            meant.insert(next)
            last = next
        }
        var times: [Int64] = []
        var shown = zone.offset(at: -60) - 60
        for instant in stride(from: Int64(0), to: 14 * 86_400, by: 60) {
            let wall = instant + zone.offset(at: instant)
            if hours.count == 24 {
                if meant.contains(wall) { times.append(instant) }
            } else if wall > shown {
                // Shown for the first time, together with skipped times before it.
                let minutes = stride(from: shown + 60, through: wall, by: 60)
                if minutes.contains(where: meant.contains) { times.append(instant) }
                shown = wall
            }
        }
        return times
    }

    @Test(
        "With any changes of the clock it agrees with a test of each minute",
        arguments: TestBuild.seeds(60))
    func property(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let zone = Self.zone(&random)
        let expression = try Self.expression(&random)
        let isForEveryHour = expression.description.split(separator: " ")[1] == "*"
        let expected = Self.slow(expression, zone, hours: isForEveryHour ? Set(0..<24) : [])
        var found: [Int64] = []
        var last: Int64 = -1
        while let next = expression.next(after: last, in: zone), next < 14 * 86_400 {
            found.append(next)
            last = next
        }
        #expect(found == expected, "\(expression) with \(zone)")
    }
}
