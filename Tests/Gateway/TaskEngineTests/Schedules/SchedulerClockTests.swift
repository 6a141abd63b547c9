import ErrandConfiguration
import ErrandLocking
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Scheduler: changes of the clock", .timeLimit(.hang))
struct SchedulerClockTests {
    @Test(
        "After the clock was set back, the next time of the new day runs; within three hours none runs twice",
        arguments: [(-8, "2026-01-01T04:00:00Z"), (-2, "2026-01-01T12:00:00Z")])
    func clockSetBack(hours: Int, next: String) async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T10:10:00Z")
        try await fixture.open {
            try await fixture.put("hourly", "@hourly")
            try await fixture.pass(until: "2026-01-01T11:00:00Z")
            #expect(try await fixture.times() == ["2026-01-01T11:00:00"])
            await fixture.set(by: .seconds(hours * 3600))
            #expect(fixture.scheduler["hourly"]?.record.nextRunAt == Timestamp(next))
            try await fixture.pass(until: next)
            #expect(try await fixture.times() == ["2026-01-01T11:00:00", String(next.prefix(19))])
        }
    }

    @Test("After the clock was set back, a schedule that is resumed or gets other times repeats no time of the old day")
    func changedAfterSetback() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T10:10:00Z")
        try await fixture.open {
            try await fixture.put("hourly", "@hourly")
            try await fixture.pass(until: "2026-01-01T11:00:00Z")
            await fixture.set(by: .seconds(-3600))
            let next = Timestamp("2026-01-01T12:00:00Z")
            for isSuspended in [true, false] {
                _ = try await fixture.scheduler.setSuspended(isSuspended, "hourly", by: .anonymous) { _ in true }
            }
            #expect(fixture.scheduler["hourly"]?.record.nextRunAt == next)
            try await fixture.put("hourly", "0,30 */1 * * *")
            #expect(fixture.scheduler["hourly"]?.record.nextRunAt == Timestamp("2026-01-01T11:30:00Z"))
        }
    }

    @Test("A task of a schedule that could not be stored is tried again at its time after the clock was set back")
    func retryAfterClockWasSet() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:59:30Z")
        try await fixture.open {
            try await fixture.put("hourly", "@hourly")
            let fails = Mutex(true)
            fixture.store.intervene { operation throws(TaskStoreError) in
                guard case .put = operation, fails.withLock({ $0 }) else { return }
                throw TaskStoreError(.diskFull, "no space")
            }
            try await fixture.pass(until: "2026-01-01T01:00:00Z")
            #expect(try await fixture.times().isEmpty)
            fails.withLock { $0 = false }
            await fixture.set(by: .seconds(-60))
            #expect(fixture.scheduler["hourly"]?.wakesAt == Timestamp("2026-01-01T01:00:00Z"))
        }
    }

    @Test(
        "A write that fails after the clock was set keeps the next time that was worked out since")
    func writeFailsAfterClockWasSet() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T10:59:30Z")
        let (reached, goOn) = (Signal<Void>(), Signal<Void>())
        try await fixture.open {
            try await fixture.put("hourly", "@hourly")
            let fails = Mutex(true)
            fixture.store.intervene { operation throws(TaskStoreError) in
                guard case .put = operation, fails.withLock({ $0 }) else { return }
                reached.send()
                await goOn.wait()
                throw TaskStoreError(.diskFull, "no space")
            }
            fixture.clock.advance(by: .seconds(30))
            await reached.wait()
            fixture.setting.set(to: .seconds(-8 * 3600))
            _ = fixture.context.now()
            // The scheduler is told in the background.
            try await until { fixture.scheduler["hourly"]?.record.nextRunAt == Timestamp("2026-01-01T04:00:00Z") }
            let sleeps = fixture.clock.sleeps.events.count
            fails.withLock { $0 = false }
            goOn.send()
            _ = await fixture.clock.sleeps.first(sleeps + 1)
            #expect(fixture.scheduler["hourly"]?.record.nextRunAt == Timestamp("2026-01-01T04:00:00Z"))
            #expect(fixture.scheduler["hourly"]?.wakesAt == Timestamp("2026-01-01T04:00:00Z"))
        }
    }

    // MARK: During a write

    /// Sets the clock back by eight hours before each write of a schedule.
    private func setClockBackBeforeWrites(of fixture: SchedulerFixture) {
        fixture.store.intervene { operation in
            guard case .put = operation else { return }
            fixture.setting.set(to: .seconds(-8 * 3600))
            _ = fixture.context.now()
            // That all observers of the clock have moved their times has no event.
            try? await until { !fixture.context.wall.isSettling }
        }
    }

    @Test("A task that is stored after the clock was set back leaves the next time of the new day")
    func taskStoredAfterClockWasSet() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T10:59:30Z")
        try await fixture.open {
            try await fixture.put("hourly", "@hourly")
            setClockBackBeforeWrites(of: fixture)
            try await fixture.pass(until: "2026-01-01T11:00:00Z")
            fixture.store.intervene(nil)
            #expect(fixture.scheduler["hourly"]?.record.nextRunAt == Timestamp("2026-01-01T04:00:00Z"))
            try await fixture.pass(until: "2026-01-01T04:00:00Z")
            #expect(try await fixture.times() == ["2026-01-01T11:00:00", "2026-01-01T04:00:00"])
            #expect(try await fixture.store.schedules() == fixture.scheduler.all.map(\.record))
        }
    }

    @Test("A delay of a task that is stored after the clock was set back has its full length")
    func delayStoredAfterClockWasSet() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T10:59:30Z")
        try await fixture.open {
            try await fixture.put("hourly", "@hourly", task: #"{"delay":"10m"}"#)
            setClockBackBeforeWrites(of: fixture)
            try await fixture.pass(until: "2026-01-01T11:00:00Z")
            fixture.store.intervene(nil)
            let task = try #require(try await fixture.tasks().first)
            let end = try #require(Timestamp("2026-01-01T03:10:00Z"))
            let moved = try await fixture.context.wait(for: task, until: .changed(from: 1), timeout: .unlimited)
            #expect(moved?.state == .scheduled)
            #expect(moved?.notBefore == end)
        }
    }

    /// A change of a schedule, which is stored.
    enum Change: CaseIterable {
        case created, replaced, configured, resumed, ran
    }

    @Test(
        "A schedule that is stored after the clock was set back waits for a time of the new day",
        arguments: Change.allCases)
    func scheduleStoredAfterClockWasSet(_ change: Change) async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T10:10:00Z")
        let scheduler = fixture.scheduler
        try await fixture.open {
            switch change {
            case .created, .configured: break
            case .replaced: try await fixture.put("s", "@daily")
            case .resumed:
                try await fixture.put("s", "@hourly")
                _ = try await scheduler.setSuspended(true, "s", by: .anonymous) { _ in true }
            case .ran: try await fixture.put("s", "@hourly")
            }
            setClockBackBeforeWrites(of: fixture)
            switch change {
            case .created, .replaced: try await fixture.put("s", "@hourly")
            case .configured: try await scheduler.apply(.scheduling(["s": "@hourly"]))
            case .resumed: _ = try await scheduler.setSuspended(false, "s", by: .anonymous) { _ in true }
            case .ran: _ = try await scheduler.runNow("s", by: .anonymous) { _ in true }
            }
            fixture.store.intervene(nil)
            #expect(scheduler["s"]?.record.nextRunAt == Timestamp("2026-01-01T03:00:00Z"))
        }
    }
}
