import ErrandConfiguration
import ErrandCron
import ErrandTaskStore
import ErrandTime
import ErrandTimeZones
import Testing

@testable import ErrandTaskEngine

@Suite("ScheduleTiming")
struct ScheduleTimingTests {
    private func timing(_ cron: String, _ missed: ScheduleTiming.Missed = .skip) throws -> ScheduleTiming {
        ScheduleTiming(cron: try CronExpression(cron), zone: try #require(NamedZone("UTC")), missed: missed)
    }

    private func time(_ text: String) throws -> Timestamp { try #require(Timestamp("2026-01-01T\(text)Z")) }

    @Test("Before its time there is nothing to do, and at its time a task to create")
    func due() throws {
        let timing = try timing("0 12 * * *")
        let noon = try time("12:00:00")
        #expect(try timing.step(due: noon, at: time("11:59:59.999")) == .wait)
        let next = noon.adding(.seconds(86_400))
        #expect(timing.step(due: noon, at: noon) == .run(time: noon, next: next))
        #expect(try timing.step(due: noon, at: time("12:01:00")) == .run(time: noon, next: next))
    }

    @Test("A time more than a minute ago is missed: it is skipped, or made up for once")
    func late() throws {
        let noon = try time("12:00:00"), later = try time("12:01:00.001")
        let next = noon.adding(.seconds(86_400))
        #expect(try timing("0 12 * * *").step(due: noon, at: later) == .skip(next: next))
        #expect(try timing("0 12 * * *", .runOnce).step(due: noon, at: later) == .run(time: later, next: next))
    }

    @Test("A time whose task could not be stored in time is not skipped; run_once makes it up with those behind it")
    func tried() throws {
        let noon = try time("12:00:00"), later = try time("14:30:00")
        let next = try time("13:00:00")
        #expect(try timing("@hourly").step(due: noon, at: later, wasTried: true) == .run(time: noon, next: next))
        let once = try timing("@hourly", .runOnce).step(due: noon, at: later, wasTried: true)
        #expect(try once == .run(time: later, next: time("15:00:00")))
        #expect(try timing("@hourly").step(due: later, at: noon, wasTried: true) == .wait)
    }

    @Test("Skipping ends with the first time that is not too late")
    func caughtUp() throws {
        let step = try timing("* * * * *").step(due: try time("10:00:00"), at: try time("12:00:30"))
        #expect(try step == .skip(next: time("12:00:00")))
    }

    @Test("The next time is later than the moment, to the millisecond")
    func next() throws {
        let timing = try timing("* * * * *")
        #expect(try timing.next(after: time("11:59:59.999")) == time("12:00:00"))
        #expect(try timing.next(after: time("12:00:00")) == time("12:01:00"))
        #expect(try timing.next(after: time("12:00:00.001")) == time("12:01:00"))
        let times = try ["12:01:00", "12:02:00", "12:03:00"].map(time)
        #expect(try timing.times(3, after: time("12:00:30")) == times)
    }

    @Test("After a small setback of the clock no time is repeated; a clock that was far ahead is corrected")
    func setBack() throws {
        let timing = try timing("@hourly")
        let now = try time("12:30:00")
        let missed = try time("11:00:00")
        #expect(try timing.resumed(missed, last: time("10:00:00"), at: now) == missed, "it is due")
        #expect(try timing.resumed(time("13:00:00"), last: time("12:00:00"), at: now) == time("13:00:00"))
        #expect(try timing.resumed(time("15:00:00"), last: time("14:00:00"), at: now) == time("15:00:00"))
        #expect(try timing.resumed(time("20:00:00"), last: time("19:00:00"), at: now) == time("13:00:00"))
        #expect(try timing.resumed(nil, last: nil, at: now) == time("13:00:00"))
    }
}
