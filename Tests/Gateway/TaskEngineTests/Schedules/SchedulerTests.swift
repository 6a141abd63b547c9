import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Logging
import Testing

@testable import ErrandConfiguration
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Scheduler", .timeLimit(.hang))
struct SchedulerTests {
    @Test("A task is created at each time, an ordinary one with the schedule's name")
    func eachTime() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T11:58:30Z")
        try await fixture.open {
            try await fixture.put(
                "pulse", "* * * * *", task: #"{"path":"beat","labels":{"team":"a"},"priority":7,"method":"PUT"}"#)
            try await fixture.pass(until: "2026-01-01T11:59:00Z")
            try await fixture.pass(until: "2026-01-01T12:00:00Z")
            try await fixture.pass(until: "2026-01-01T12:01:00Z")
            let tasks = try await fixture.tasks()
            #expect(try await fixture.times() == ["2026-01-01T11:59:00", "2026-01-01T12:00:00", "2026-01-01T12:01:00"])
            for task in tasks {
                #expect(task.schedule == "pulse" && task.session == "up" && task.kind == .data)
                #expect(task.priority == 7 && task.labels == ["team": "a"])
                let finished = try await fixture.context.wait(for: task, until: .done, timeout: .unlimited)
                #expect(finished?.state == .succeeded)
            }
            let record = try #require(fixture.scheduler["pulse"]?.record)
            #expect(record.lastTask == tasks.last?.id)
            #expect(record.lastRunAt == fixture.now)
            #expect(record.nextRunAt == Timestamp("2026-01-01T12:02:00Z"))
            #expect(try await fixture.store.schedules() == [record])
        }
    }

    @Test("It follows the clock of its time zone, also in the night of the change")
    func zone() async throws {
        let fixture = try SchedulerFixture(at: "2026-03-28T00:00:00Z")
        try await fixture.open {
            try await fixture.put("night", "30 2 * * *", #","time_zone":"Europe/Berlin""#)
            for time in ["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"] {
                try await fixture.pass(until: time)
            }
            #expect(try await fixture.times() == ["2026-03-28T01:30:00", "2026-03-29T01:00:00", "2026-03-30T00:30:00"])
        }
    }

    @Test("Each of many schedules with the same minute creates its task")
    func many() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:10Z")
        try await fixture.open {
            for number in 1...50 { try await fixture.put("s\(number)", "*/5 * * * *") }
            try await fixture.pass(until: "2026-01-01T00:05:00Z")
            let names = try await fixture.tasks().compactMap(\.schedule)
            #expect(Set(names).count == 50 && names.count == 50)
        }
    }

    @Test("A new schedule runs on time even if the others' times are far away")
    func earlier() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:00Z")
        try await fixture.open {
            try await fixture.put("far", "@yearly")
            try await fixture.put("near", "1 0 * * *")
            try await fixture.pass(until: "2026-01-01T00:01:00Z")
            #expect(try await fixture.tasks().map(\.schedule) == ["near"])
        }
    }

    // MARK: Missed times

    /// Opens the closed fixture again at a later time.
    private func reopened(
        _ first: SchedulerFixture, at time: String, sessions: [String] = ["up"],
        _ body: (SchedulerFixture) async throws -> Void
    ) async throws {
        let second = try SchedulerFixture(folder: first.folder, at: time, sessions: sessions)
        try await second.open { try await body(second) }
    }

    @Test("Times that passed while the gateway was down are skipped, except one of the last minute")
    func skip() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:30Z")
        try await fixture.open { try await fixture.put("s", "*/10 * * * *") }
        try await reopened(fixture, at: "2026-01-01T05:09:30Z") { (fixture) async throws in
            #expect(try await fixture.tasks().isEmpty)
            #expect(fixture.scheduler["s"]?.record.nextRunAt == Timestamp("2026-01-01T05:10:00Z"))
            #expect(fixture.log.lines.filter { $0["schedule"] == "s" }.count == 1)
        }
        try await reopened(fixture, at: "2026-01-01T07:10:45Z") { (fixture) async throws in
            #expect(try await fixture.times() == ["2026-01-01T07:10:45"])
            #expect(fixture.scheduler["s"]?.record.lastRunAt == Timestamp("2026-01-01T07:10:00Z"))
        }
    }

    @Test("With run_once one task is created for all missed times")
    func runOnce() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:30Z")
        try await fixture.open { try await fixture.put("s", "@hourly", #","missed":"run_once""#) }
        try await reopened(fixture, at: "2026-01-03T05:30:00Z") { (fixture) async throws in
            #expect(try await fixture.times() == ["2026-01-03T05:30:00"])
            try await fixture.pass(until: "2026-01-03T06:00:00Z")
            #expect(try await fixture.times() == ["2026-01-03T05:30:00", "2026-01-03T06:00:00"])
        }
    }

    @Test("A schedule that is replaced by one with the same times keeps its missed times, with others it does not")
    func replacedWhileMissed() async throws {
        for (cron, times) in [("@hourly", ["2026-01-03T05:30:00"]), ("1 * * * *", [])] {
            let first = try SchedulerFixture(at: "2026-01-01T00:00:30Z")
            try await first.open { try await first.put("s", "@hourly", #","missed":"run_once""#) }
            let second = try SchedulerFixture(folder: first.folder, at: "2026-01-03T05:30:00Z")
            try await second.open(afterLoading: {
                try await second.put("s", cron, #","missed":"run_once""#, task: #"{"path":"new"}"#)
            }) {
                let created = try await second.times()
                #expect(created == times)
            }
        }
    }

    @Test("After a jump of the clock, the times that it skipped are missed")
    func jump() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:30Z")
        try await fixture.open {
            try await fixture.put("skips", "@hourly")
            try await fixture.put("runs", "@hourly", #","missed":"run_once""#)
            try await fixture.pass(until: "2026-01-05T12:20:00Z")
            #expect(try await fixture.tasks().map(\.schedule) == ["runs"])
        }
    }

    @Test("A process that ends creates no task twice and loses none: the stored state decides")
    func crash() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:30Z")
        try await fixture.open {
            try await fixture.put("s", "* * * * *")
            try await fixture.pass(until: "2026-01-01T00:01:00Z")
        }
        // Within the same minute, and then before the next one.
        for time in ["2026-01-01T00:01:00Z", "2026-01-01T00:01:30Z", "2026-01-01T00:01:59Z"] {
            try await reopened(fixture, at: time) { (fixture) async throws in
                #expect(try await fixture.times() == ["2026-01-01T00:01:00"])
            }
        }
        try await reopened(fixture, at: "2026-01-01T00:02:20Z") { (fixture) async throws in
            #expect(try await fixture.times() == ["2026-01-01T00:01:00", "2026-01-01T00:02:20"])
        }
    }

    @Test("After a failure of the store the task is stored again, once")
    func trouble() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:30Z")
        try await fixture.open {
            try await fixture.put("s", "@hourly")
            fixture.store.intervene { operation throws(TaskStoreError) in
                if case .put = operation { throw TaskStoreError(.diskFull, "The disk is full") }
            }
            try await fixture.pass(until: "2026-01-01T01:00:00Z")
            #expect(try await fixture.tasks().isEmpty)
            fixture.store.intervene(nil)
            try await fixture.pass(until: "2026-01-01T01:00:01Z")
            #expect(try await fixture.times() == ["2026-01-01T01:00:01"])
            #expect(fixture.scheduler["s"]?.record.lastRunAt == Timestamp("2026-01-01T01:00:00Z"))
        }
    }

    /// Lets the writes of a schedule fail for two minutes from its first time, and then succeed.
    private func passTrouble(of fixture: SchedulerFixture) async throws {
        fixture.store.intervene { operation throws(TaskStoreError) in
            if case .put = operation { throw TaskStoreError(.diskFull, "The disk is full") }
        }
        try await fixture.pass(until: "2026-01-01T01:00:00Z")
        try await fixture.pass(until: "2026-01-01T01:02:00Z")
        #expect(try await fixture.tasks().isEmpty)
        fixture.store.intervene(nil)
    }

    @Test(
        "A task that was made in time and could not be stored is not missed, however long the store fails",
        arguments: [("@hourly", 1, "2026-01-01T01:00:00Z"), ("* * * * *", 2, "2026-01-01T01:02:00Z")])
    func longTrouble(cron: String, count: Int, last: String) async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:59:30Z")
        try await fixture.open {
            try await fixture.put("s", cron)
            try await passTrouble(of: fixture)
            // The pause before the third try is longer than the one before the second.
            try await fixture.pass(until: "2026-01-01T01:02:02Z")
            // Of the times behind it, those that are more than a minute past were missed.
            #expect(try await fixture.times() == Array(repeating: "2026-01-01T01:02:02", count: count))
            #expect(fixture.scheduler["s"]?.record.lastRunAt == Timestamp(last))
        }
    }

    @Test("Many tasks that cannot be stored are one line of the log, and are tried again less and less often")
    func manyTroubles() async throws {
        let count = 50
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:10Z")
        try await fixture.open {
            for number in 1...count { try await fixture.put("s\(number)", "*/5 * * * *") }
            let tries = EventLog<Void>()
            fixture.store.intervene { operation throws(TaskStoreError) in
                guard case .put = operation else { return }
                tries.append()
                throw TaskStoreError(.diskFull, "The disk is full")
            }
            try await fixture.pass(until: "2026-01-01T00:05:00Z")
            #expect(tries.events.count == count)
            for _ in 0..<31 {
                await fixture.clock.sleepers(1)
                fixture.clock.advance(by: .seconds(1))
            }
            await fixture.clock.sleepers(1)
            // After 1, 3, 7, 15 and 31 seconds.
            #expect(tries.events.count == 6 * count)
            let message = "The task of a schedule could not be stored; trying again"
            let lines = fixture.log.lines.filter { $0.message == message }
            #expect(lines.map(\.level) == [.error])
            #expect(lines.map { $0["error"] } == ["disk_full: The disk is full"])
            fixture.store.intervene(nil)
            // The longest pause is half a minute.
            try await fixture.pass(until: "2026-01-01T00:06:01Z")
            let names = try await fixture.tasks().compactMap(\.schedule)
            #expect(Set(names).count == count && names.count == count)
            #expect(fixture.scheduler["s1"]?.record.nextRunAt == Timestamp("2026-01-01T00:10:00Z"))
        }
    }

    @Test("A run that a client requests replaces no task that could not be stored")
    func runAfterTrouble() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:59:30Z")
        try await fixture.open {
            try await fixture.put("s", "@hourly")
            try await passTrouble(of: fixture)
            let sleeps = fixture.clock.sleeps.events.count
            _ = try await fixture.scheduler.runNow("s", by: .anonymous) { _ in true }
            _ = await fixture.clock.sleeps.first(sleeps + 1)
            #expect(try await fixture.times() == ["2026-01-01T01:02:00", "2026-01-01T01:02:00"])
            #expect(fixture.scheduler["s"]?.record.lastRunAt == Timestamp("2026-01-01T01:00:00Z"))
        }
    }

    @Test("A schedule that is replaced by one with the same times makes up for a task that could not be stored")
    func replacedAfterTrouble() async throws {
        for members in ["", #","missed":"run_once""#] {
            let fixture = try SchedulerFixture(at: "2026-01-01T00:59:30Z")
            try await fixture.open {
                try await fixture.put("s", "@hourly")
                try await passTrouble(of: fixture)
                try await fixture.put("s", "@hourly", members, task: #"{"path":"new"}"#)
                let tasks = try await fixture.tasks()
                #expect(try await fixture.times() == ["2026-01-01T01:02:00"])
                for task in tasks {
                    let request = String(decoding: task.specification.request, as: UTF8.self)
                    #expect(request.contains("/new"))
                }
                let last = members.isEmpty ? "2026-01-01T01:00:00Z" : "2026-01-01T01:02:00Z"
                #expect(fixture.scheduler["s"]?.record.lastRunAt == Timestamp(last))
            }
        }
    }

    @Test("A schedule changed by another process is used in its new state, and creates no task twice")
    func replica() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:30Z")
        try await fixture.open {
            let schedule = try await fixture.put("s", "@hourly")
            var other = schedule.record
            other.nextRunAt = Timestamp("2026-01-01T02:00:00Z")
            other.revision += 1
            #expect(try await fixture.store.put(other, expecting: schedule.record.revision, inserting: nil))
            try await fixture.pass(until: "2026-01-01T01:00:00Z")
            #expect(try await fixture.tasks().isEmpty)
            #expect(fixture.scheduler["s"]?.record == other)
        }
    }

    // MARK: Failures

    @Test("A schedule whose session is removed reports it, once in the log, and its times pass")
    func sessionGone() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:30Z", sessions: ["up", "other"])
        try await fixture.open { try await fixture.put("s", "* * * * *", task: #"{"session":"other"}"#) }
        try await reopened(fixture, at: "2026-01-01T00:00:40Z") { (fixture) async throws in
            for minute in 1...3 { try await fixture.pass(until: "2026-01-01T00:0\(minute):00Z") }
            #expect(try await fixture.tasks().isEmpty)
            let failure = try #require(fixture.scheduler["s"]?.failure)
            #expect(failure.at == fixture.now)
            #expect(failure.message == #"/task/session: unknown session "other""#)
            #expect(fixture.log.lines.filter { $0["reason"] == failure.message }.count == 1)
        }
        try await reopened(fixture, at: "2026-01-01T00:03:40Z", sessions: ["up", "other"]) { (fixture) async throws in
            try await fixture.pass(until: "2026-01-01T00:04:00Z")
            #expect(try await fixture.tasks().map(\.session) == ["other"])
            #expect(fixture.scheduler["s"]?.failure == nil)
        }
    }

    @Test("A schedule of a closed session creates no tasks")
    func sessionClosed() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:30Z")
        try await fixture.open {
            try await fixture.put("s", "* * * * *")
            fixture.sessions.apply(SessionControlState(name: "up", isClosed: true))
            try await fixture.pass(until: "2026-01-01T00:01:00Z")
            #expect(try await fixture.tasks().isEmpty)
            #expect(
                fixture.scheduler["s"]?.failure?.message == """
                    /task/session: the session was closed by an operator; POST /v1/sessions/up/invalidate with \
                    {"reset": true} opens it again
                    """)
        }
    }

    @Test("Another default session does not affect existing schedules")
    func settled() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:30Z", sessions: ["up"])
        try await fixture.open { try await fixture.put("s", "* * * * *", task: #"{"session":null,"path":"x"}"#) }
        try await reopened(fixture, at: "2026-01-01T00:00:40Z", sessions: ["other", "up"]) { (fixture) async throws in
            try await fixture.pass(until: "2026-01-01T00:01:00Z")
            #expect(try await fixture.tasks().map(\.session) == ["up"])
        }
    }

    @Test(
        "A schedule that was moved to a hidden session since the request was admitted is not found")
    func moved() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:30Z", sessions: ["up", "other"])
        let caller = Caller(tokenName: "t", scopes: [.admin], sessions: ["up"])
        try await fixture.open {
            let made = try await fixture.put("s", "* * * * *", task: #"{"session":"other"}"#)
            for answer in [
                try await fixture.scheduler.runNow("s", by: caller) { _ in true },
                try await fixture.scheduler.setSuspended(true, "s", by: caller) { _ in true },
                try await fixture.scheduler.remove("s", by: caller) { _ in true },
            ] {
                guard case .notFound = answer else {
                    Issue.record("\(answer)")
                    continue
                }
            }
            #expect(fixture.scheduler["s"]?.record == made.record)
            #expect(try await fixture.tasks().isEmpty)
        }
    }

    @Test("A precondition is evaluated after the changes that were requested before")
    func preconditionInTurn() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:30Z")
        let (reached, goOn) = (Signal<Void>(), Signal<Void>())
        try await fixture.open {
            let revision = try await fixture.put("s", "@hourly").record.revision
            let isUnchanged: Scheduler.Condition = { $0?.revision == revision }
            fixture.store.intervene { operation in
                guard case .put = operation else { return }
                reached.send()
                await goOn.wait()
            }
            async let suspended = fixture.scheduler.setSuspended(true, "s", by: .anonymous, if: isUnchanged)
            await reached.wait()
            async let ran = fixture.scheduler.runNow("s", by: .anonymous, if: isUnchanged)
            async let resumed = fixture.scheduler.setSuspended(false, "s", by: .anonymous, if: isUnchanged)
            goOn.send()
            let answers = try await (suspended, ran, resumed)
            guard case (.done, .preconditionFailed, .preconditionFailed) = answers else {
                Issue.record("\(answers)")
                return
            }
            #expect(fixture.scheduler["s"]?.record.isSuspended == true)
            #expect(try await fixture.tasks().isEmpty)
        }
    }

    @Test("A schedule that the store cannot open has the store's reason, in the log and for clients")
    func sealed() async throws {
        let reason = "The record is sealed with the key 0123456789abcdef, which is not among store.encryption_keys"
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:30Z")
        let record = ScheduleRecord(
            name: "s", origin: .api, definition: Array(#"{"unreadable":"\#(reason)"}"#.utf8), session: "up",
            createdAt: fixture.now, nextRunAt: Timestamp("2026-01-01T00:01:00Z"))
        #expect(try await fixture.store.put(record, expecting: nil, inserting: nil))
        try await fixture.open {
            let logged = fixture.log.lines.filter { $0.message == "A schedule created no task" }
            #expect(logged.map { $0["reason"] } == [reason])
            let schedule = try #require(fixture.scheduler["s"])
            #expect(schedule.definition == .failure(ScheduleFault(reason)))
            let answer = try await fixture.scheduler.runNow("s", by: .anonymous) { _ in true }
            guard case .rejected(let rejection) = answer else {
                Issue.record("\(answer)")
                return
            }
            #expect(rejection.reason.contains(reason))
        }
    }

    @Test("A stored schedule that cannot be read creates no tasks, shows the reason, and affects no other")
    func unreadable() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:30Z")
        let record = ScheduleRecord(
            name: "bad", origin: .api, definition: Array(#"{"cron":"x","task":{}}"#.utf8), session: "up",
            createdAt: fixture.now, nextRunAt: Timestamp("2026-01-01T00:01:00Z"))
        #expect(try await fixture.store.put(record, expecting: nil, inserting: nil))
        try await fixture.open {
            try await fixture.put("good", "* * * * *")
            try await fixture.pass(until: "2026-01-01T00:01:00Z")
            #expect(try await fixture.tasks().map(\.schedule) == ["good"])
            for answer in [
                try await fixture.scheduler.runNow("bad", by: .anonymous) { _ in true },
                try await fixture.scheduler.setSuspended(true, "bad", by: .anonymous) { _ in true },
            ] {
                guard case .rejected = answer else {
                    Issue.record("\(answer)")
                    continue
                }
            }
            let stored = try await fixture.store.schedules().first { $0.name == "bad" }
            #expect(stored == record, "the stored document may be readable later")
        }
    }
}
