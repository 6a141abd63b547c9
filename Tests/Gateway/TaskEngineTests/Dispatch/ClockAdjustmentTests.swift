import ErrandConfiguration
import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("ClockAdjustment", .timeLimit(.hang))
struct ClockAdjustmentTests {
    private let time = ManualClock()

    /// Sets the clock, has the dispatcher read it, and waits until a task was moved.
    private func set(
        _ fixture: DispatcherFixture, to offset: Duration, moving task: TaskRecord
    ) async throws -> TaskRecord? {
        fixture.setting.set(to: offset)
        _ = fixture.context.now()
        return try await fixture.context.wait(
            for: task, until: .changed(from: task.revision), timeout: .unlimited)
    }

    @Test("The remaining time of a delay or back-off stays the same", arguments: [-28_800, -3, 3, 28_800])
    func remainder(seconds: Int) async throws {
        let fixture = try DispatcherFixture(time: time, DispatcherFixture.unavailable)
        try await fixture.open {
            let delayed = try await fixture.create("later", #","delay":"10m""#)
            let retried = try #require(try await fixture.reaches(.waiting, fixture.create("again")))
            let due = try #require(retried.nextAttemptAt)
            let moved = try await set(fixture, to: .seconds(seconds), moving: retried)
            #expect(moved?.state == .waiting)
            #expect(moved?.nextAttemptAt == due.adding(.seconds(seconds)))
            let later = try await fixture.changed(delayed)
            #expect(later?.state == .scheduled)
            #expect(later?.notBefore == delayed.notBefore?.adding(.seconds(seconds)))
        }
    }

    /// Runs `body` once, when the tasks whose waits have to be moved are about to be read.
    private func whenMoving(
        _ fixture: DispatcherFixture, _ body: @escaping @Sendable () async throws(TaskStoreError) -> Void
    ) {
        let isFirst = Mutex(true)
        fixture.store.intervene { (operation) async throws(TaskStoreError) in
            let isNow = isFirst.withLock { isFirst in
                guard case .identifiers = operation, isFirst else { return false }
                isFirst = false
                return true
            }
            if isNow { try await body() }
        }
    }

    @Test("The clock is set again while waits are moved", arguments: [7200, -36_000])
    func again(seconds: Int) async throws {
        let fixture = try DispatcherFixture(time: time, DispatcherFixture.unavailable)
        let observer = ClockObserver()
        fixture.context.wall.add(observer)
        try await fixture.open {
            let task = try #require(try await fixture.reaches(.waiting, fixture.create("again")))
            let due = try #require(task.nextAttemptAt)
            whenMoving(fixture) {
                fixture.setting.set(to: .seconds(seconds))
                _ = fixture.context.now()
            }
            fixture.setting.set(to: .seconds(-28_800))
            _ = fixture.context.now()
            _ = await observer.settled.first(1)
            let moved = try await fixture.stored(task)
            #expect(moved?.state == .waiting)
            #expect(moved?.nextAttemptAt == due.adding(.seconds(seconds)))
        }
    }

    @Test("A change of the clock is stored while waits are still being moved for the previous one")
    func storedWhileMoving() async throws {
        let fixture = try DispatcherFixture(time: time)
        let (reached, goOn) = (Signal<Void>(), Signal<Void>())
        try await fixture.open {
            let task = try await fixture.create("later", #","delay":"10m""#)
            fixture.store.intervene { operation in
                guard case .update(let record) = operation, record.id == task.id else { return }
                reached.send()
                await goOn.wait()
            }
            fixture.setting.set(to: .seconds(3600))
            _ = fixture.context.now()
            await reached.wait()
            fixture.setting.set(to: .seconds(7200))
            _ = fixture.context.now()
            try await until { try await fixture.store.clock().offset == .seconds(7200) }
            goOn.send()
            try await until { try await fixture.stored(task)?.notBefore == task.notBefore?.adding(.seconds(7200)) }
        }
    }

    @Test(
        "A task that is suspended before its wait was moved waits as long as the others", arguments: [-28_800, 28_800])
    func suspended(seconds: Int) async throws {
        let fixture = try DispatcherFixture(time: time, DispatcherFixture.unavailable)
        let observer = ClockObserver()
        fixture.context.wall.add(observer)
        try await fixture.open {
            let delayed = try await fixture.create("later", #","delay":"10m""#)
            whenMoving(fixture) { () async throws(TaskStoreError) in
                _ = try await fixture.dispatcher.suspend(delayed)
            }
            fixture.setting.set(to: .seconds(seconds))
            _ = fixture.context.now()
            _ = await observer.settled.first(1)
            let moved = try await fixture.stored(delayed)
            #expect(moved?.state == .suspended)
            #expect(moved?.notBefore == delayed.notBefore?.adding(.seconds(seconds)))
        }
    }

    @Test(
        "A delay whose end was worked out before the clock was set, and stored afterwards",
        arguments: [-28_800, 28_800])
    func createdLate(seconds: Int) async throws {
        let fixture = try DispatcherFixture(time: time, DispatcherFixture.unavailable)
        let observer = ClockObserver()
        fixture.context.wall.add(observer)
        try await fixture.open {
            let creation = try await fixture.creation("later", #","delay":"10m""#)
            fixture.setting.set(to: .seconds(seconds))
            _ = fixture.context.now()
            _ = await observer.settled.first(1)
            guard case .created(let delayed) = try await fixture.dispatcher.create(creation) else {
                throw DispatcherFixture.SessionClosed()
            }
            let later = try await fixture.changed(delayed)
            #expect(later?.notBefore == delayed.notBefore?.adding(.seconds(seconds)))
        }
    }

    @Test("A pause that is stored after the others were moved is moved, too", arguments: [-7200, 7200])
    func storedLate(seconds: Int) async throws {
        let fixture = try DispatcherFixture(time: time, DispatcherFixture.unavailable)
        let isSet = Mutex(false)
        fixture.store.intervene { operation in
            let isFirst = isSet.withLock { isSet in
                guard case .update(let record) = operation, record.state == .waiting, !isSet else { return false }
                isSet = true
                return true
            }
            guard isFirst else { return }
            // The pause is computed already. That all observers of the clock have moved their times has no event.
            fixture.setting.set(to: .seconds(seconds))
            _ = fixture.context.now()
            try? await until { !fixture.context.wall.isSettling }
        }
        try await fixture.open {
            let task = try await fixture.create("again")
            try await until {
                guard let next = try await fixture.stored(task)?.nextAttemptAt else { return false }
                // Not measured: what is left of the pause, as it is stored.
                return (.seconds(-3600) ... .milliseconds(600)).contains(next.duration(since: fixture.now()))
            }
        }
    }

    @Test("A task whose end the store does not accept does not keep the waits of others from being moved")
    func unstoredEnd() async throws {
        let suspension = ManualClock()
        let fixture = try DispatcherFixture(clock: suspension, time: time) { _ in
            [.wait(ScriptedTransport.Gate())] + DispatcherFixture.response
        }
        let observer = ClockObserver()
        fixture.context.wall.add(observer)
        try await fixture.open {
            let task = try await fixture.create("task")
            try await fixture.suspend(task)
            _ = await suspension.sleeps.first(1)
            let failures = EventLog<Void>()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .update(let record) = operation, record.id == task.id else { return }
                failures.append()
                throw TaskStoreError(.unexpected, "The task store failed")
            }
            // Its attempt is lost.
            suspension.advance(by: .seconds(60))
            _ = await failures.first(2)
            fixture.setting.set(to: .seconds(-28_800))
            _ = fixture.context.now()
            _ = await observer.settled.first(1)
            fixture.store.intervene(nil)
            try await until { try await fixture.stored(task)?.hasOpenAttempt == false }
        }
    }

    @Test("A jump is noticed within half a minute while there is nothing to do")
    func idle() async throws {
        let fixture = try DispatcherFixture(time: time)
        let observer = ClockObserver()
        fixture.context.wall.add(observer)
        try await fixture.open {
            await time.sleepers(1)
            fixture.setting.set(to: .seconds(-28_800))
            time.advance(by: .seconds(30))
            _ = await observer.settled.first(1)
        }
    }

    @Test("A not_before time comes when the clock shows it")
    func timeOfDay() async throws {
        let fixture = try DispatcherFixture(time: time)
        try await fixture.open {
            let moment = fixture.now().adding(.seconds(3600))
            let task = try await fixture.create("then", #","not_before":"\#(moment)""#)
            fixture.setting.set(to: .seconds(3601))
            _ = fixture.context.now()
            try await fixture.expect(.succeeded, of: task)
            #expect(try await fixture.stored(task)?.notBefore == moment)
        }
    }

    @Test("A deadline passes as soon as a clock that is set forward shows it")
    func deadline() async throws {
        let fixture = try DispatcherFixture(time: time)
        try await fixture.open {
            let deadline = fixture.now().adding(.seconds(3600))
            let task = try await fixture.create("late", suspended: true, #","deadline":"\#(deadline)""#)
            fixture.setting.set(to: .seconds(3601))
            _ = fixture.context.now()
            try await fixture.expect(.failed, of: task)
        }
    }

    @Test("A deadline passes while the waits of other tasks are still being moved, and no wait ends meanwhile")
    func deadlineWhileMoving() async throws {
        let fixture = try DispatcherFixture(time: time)
        let (reached, goOn) = (Signal<Void>(), Signal<Void>())
        try await fixture.open {
            let waiting = try await fixture.create("later", #","delay":"10m""#)
            let deadline = fixture.now().adding(.seconds(3600))
            let late = try await fixture.create("late", suspended: true, #","deadline":"\#(deadline)""#)
            fixture.store.intervene { operation in
                guard case .update(let record) = operation, record.id == waiting.id else { return }
                reached.send()
                await goOn.wait()
            }
            fixture.setting.set(to: .seconds(3601))
            _ = fixture.context.now()
            await reached.wait()
            try await fixture.expect(.failed, of: late)
            #expect(fixture.context.wall.isSettling)
            goOn.send()
            let moved = try await fixture.changed(waiting)
            #expect(moved?.state == .scheduled)
            #expect(moved?.notBefore == waiting.notBefore?.adding(.seconds(3601)))
        }
    }

    @Test("A delay given after the clock was set back has its full length, and identifiers increase")
    func delayAfterSetback() async throws {
        let fixture = try DispatcherFixture(time: time)
        try await fixture.open {
            let before = try await fixture.create("before")
            fixture.setting.set(to: .seconds(-28_800))
            let task = try await fixture.create("later", #","delay":"10m""#)
            #expect(task.state == .scheduled)
            #expect(task.notBefore == fixture.now().adding(.seconds(600)))
            #expect(task.createdAt == fixture.now())
            #expect(task.id > before.id)
            #expect(try await fixture.finished(before)?.state == .succeeded)
        }
    }

    @Test("The time in which a task is tried does not count the jump of a clock", arguments: [-28_800, 7200])
    func elapsed(seconds: Int) async throws {
        let fixture = try DispatcherFixture(time: time, DispatcherFixture.unavailable)
        try await fixture.open {
            let task = try #require(try await fixture.reaches(.waiting, fixture.create("again")))
            let start = try #require(task.startedAt)
            let before = fixture.context.wall.elapsed(since: start)
            _ = try await set(fixture, to: .seconds(seconds), moving: task)
            let after = fixture.context.wall.elapsed(since: start)
            // Not measured: the manual clock stands still; only the jump could make a difference.
            #expect(before == after)
        }
    }

    @Test("A key that is repeated after its time, by a clock that was set forward, still finds its task")
    func keys() async throws {
        let fixture = try DispatcherFixture(time: time)
        try await fixture.open {
            let lifetime = Duration.seconds(3600)
            var creation = try await fixture.creation("once")
            creation.task.idempotency = .sample("a", expiresAt: fixture.now().adding(lifetime))
            guard case .success(.created(let first)) = await fixture.dispatcher.create([creation]).first else {
                Issue.record("The task was not created")
                return
            }
            fixture.setting.set(to: lifetime + .seconds(60))
            #expect(fixture.context.wall.retentionMoment(longest: lifetime) < first.createdAt.adding(lifetime))
            let claim = IdempotencyClaim.sample("a", expiresAt: fixture.now().adding(lifetime))
            let moment = fixture.context.wall.retentionMoment(longest: lifetime)
            guard case .success(.replayed(let found))? = await fixture.dispatcher.earlier(claim, keysExpiredBy: moment)
            else {
                Issue.record("The key has no task")
                return
            }
            #expect(found.id == first.id)
            var again = try await fixture.creation("once")
            again.task.idempotency = claim
            again.task.keysExpiredBy = moment
            guard case .success(.replayed(let same))? = await fixture.dispatcher.create([again]).first else {
                Issue.record("The key has created another task")
                return
            }
            #expect(same.id == first.id)
        }
    }

    @Test("A key finds its task after the clock was set forward, also if a reload has shortened the time of keys")
    func keysAfterReload() async throws {
        let (long, short) = (Duration.seconds(3600), Duration.seconds(60))
        var retention = RetentionConfiguration()
        retention.idempotencyKeys = long
        let fixture = try DispatcherFixture(time: time, retention: retention)
        func create(keyLifetime: Duration) async throws -> TaskCreationOutcome {
            let services = TaskServices(
                context: fixture.context, dispatcher: fixture.dispatcher, keysInUse: IdempotencyKeysInUse(),
                bulkRequests: BulkRequests(), keyLifetime: keyLifetime, maxDepth: 64)
            let service = services.service(for: .anonymous)
            let key = try #require(IdempotencyKey("k"))
            let document = Array(#"{"session":"up","start":"suspended"}"#.utf8)
            let accepted = try await service.decoder.decode(document, as: .single, key: key)
            return try await service.create(accepted)
        }
        try await fixture.open {
            guard case .created(let first) = try await create(keyLifetime: long) else {
                Issue.record("The task was not created")
                return
            }
            fixture.setting.set(to: long + .seconds(60))
            #expect(fixture.context.now() > first.createdAt.adding(long))
            retention.idempotencyKeys = short
            fixture.dispatcher.configure(maxRunning: 100, window: 100, retention: retention)
            time.advance(by: short * 2)
            guard case .replayed(let same) = try await create(keyLifetime: short) else {
                Issue.record("The key has created another task")
                return
            }
            #expect(same.id == first.id)
        }
    }

    @Test(
        "What was stored before the clock was set forward keeps its time, also after a reload with other times",
        arguments: [Duration.seconds(60), nil])
    func retentionAfterReload(other: Duration?) async throws {
        let day = Duration.seconds(86_400)
        var retention = RetentionConfiguration()
        (retention.succeeded, retention.failed, retention.canceled) = (day, day, .seconds(20))
        let fixture = try DispatcherFixture(time: time, retention: retention)
        try await fixture.open {
            let canceled = try await fixture.create(suspended: true)
            _ = try await fixture.dispatcher.cancel(canceled.id)
            let done = try #require(try await fixture.finished(fixture.create()))
            let expiry = try #require(done.expiresAt)
            fixture.setting.set(to: expiry.duration(since: fixture.now()) + .seconds(60))
            #expect(fixture.context.now() > expiry)
            (retention.succeeded, retention.failed, retention.idempotencyKeys) = (other, other, .seconds(20))
            #expect(retention.longest < day)
            fixture.dispatcher.configure(maxRunning: 100, window: 100, retention: retention)
            // Until the new times have passed.
            for _ in 0..<3 {
                await time.sleepers(1)
                time.advance(by: RetentionSweeper.interval)
            }
            try await fixture.removed(canceled)
            await time.sleepers(1)
            #expect(try await fixture.stored(done) != nil)
            time.advance(by: day + RetentionSweeper.interval)
            try await fixture.removed(done)
        }
    }

    @Test("A clock that is set forward shortens no retention time, and lengthens none for ever")
    func retention() async throws {
        var retention = RetentionConfiguration()
        retention.succeeded = .seconds(86_400)
        retention.canceled = .seconds(20)
        let fixture = try DispatcherFixture(time: time, retention: retention)
        try await fixture.open {
            // A task that expires without the jump shows that the next sweep has taken place.
            let canceled = try await fixture.create(suspended: true)
            _ = try await fixture.dispatcher.cancel(canceled.id)
            let task = try await fixture.create()
            let done = try #require(try await fixture.finished(task))
            let expiry = try #require(done.expiresAt)
            fixture.setting.set(to: expiry.duration(since: fixture.now()) + .seconds(60))
            #expect(fixture.context.now() > expiry)
            await time.sleepers(1)
            time.advance(by: RetentionSweeper.interval)
            try await fixture.removed(canceled)
            #expect(try await fixture.stored(task) != nil)
            let later = try await fixture.create()
            let laterDone = try #require(try await fixture.finished(later))
            // After the longest retention time, nothing is left from before the jump.
            await time.sleepers(1)
            time.advance(by: retention.longest + RetentionSweeper.interval)
            try await fixture.removed(task)
            try await fixture.removed(laterDone)
        }
    }
}
