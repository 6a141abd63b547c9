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

@Suite("ClockAdjustment: starts", .timeLimit(.hang))
struct ClockAdjustmentStartTests {
    private let time = ManualClock()

    /// Starts with the store of a closed fixture and a clock that was set, and returns a task as it is afterwards.
    private func reopened(
        _ former: DispatcherFixture, set: Duration, _ task: TaskRecord
    ) async throws -> TaskRecord? {
        let fixture = try DispatcherFixture(folder: former.folder, time: time, set: set, DispatcherFixture.unavailable)
        var found: TaskRecord?
        try await fixture.open {
            try await fixture.clockSettled()
            found = try await fixture.stored(task)
        }
        return found
    }

    @Test("After a start with an earlier clock, pauses continue, purges are complete, and identifiers increase")
    func startAfterSetback() async throws {
        let before = try DispatcherFixture(time: time, DispatcherFixture.unavailable)
        var waiting: TaskRecord?
        try await before.open {
            waiting = try await before.reaches(.waiting, before.create("again"))
        }
        let task = try #require(waiting)
        let next = try DispatcherFixture(
            folder: before.folder, time: time, set: .seconds(-28_800), DispatcherFixture.unavailable)
        try await next.open {
            let moved = try await next.changed(task)
            #expect(moved?.nextAttemptAt == task.nextAttemptAt?.adding(.seconds(-28_800)))
            for number in 0..<4 { _ = try await next.create("\(number)", suspended: true) }
            #expect(try await next.dispatcher.cancelTasks(of: "up", scope: .pending) == 5)
            #expect(try await next.create("new").id > task.id)
        }
    }

    @Test("A clock that was set back before a start moves waits once, however many starts follow")
    func laterStarts() async throws {
        let fixture = try DispatcherFixture(time: time, DispatcherFixture.unavailable)
        var waiting: TaskRecord?
        try await fixture.open {
            waiting = try await fixture.reaches(.waiting, fixture.create("again"))
        }
        let before = try #require(waiting)
        let due = try #require(before.nextAttemptAt)
        for _ in 0..<3 {
            let after = try await reopened(fixture, set: .seconds(-28_800), before)
            #expect(after?.nextAttemptAt == due.adding(.seconds(-28_800)))
        }
        // It is set back again.
        let again = try await reopened(fixture, set: .seconds(-28_810), before)
        #expect(again?.nextAttemptAt == due.adding(.seconds(-28_810)))
    }

    @Test(
        "A start after the clock was set while the gateway ran moves waits by what it was set since",
        arguments: [(-28_800, -28_800), (28_800, 28_800), (28_800, 0), (-7200, -28_800)])
    func startAfterChange(first: Int, second: Int) async throws {
        let fixture = try DispatcherFixture(time: time, DispatcherFixture.unavailable)
        var waiting: TaskRecord?
        try await fixture.open {
            let task = try #require(try await fixture.reaches(.waiting, fixture.create("again")))
            fixture.setting.set(to: .seconds(first))
            _ = fixture.context.now()
            _ = try await fixture.changed(task)
            waiting = task
        }
        let before = try #require(waiting)
        let after = try await reopened(fixture, set: .seconds(second), before)
        #expect(after?.nextAttemptAt == before.nextAttemptAt?.adding(.seconds(second)))
    }

    @Test("A jump back that a process notices before its start is counted once")
    func changeBeforeStart() async throws {
        let first = try DispatcherFixture(time: time)
        var tasks: [TaskRecord] = []
        try await first.open { tasks = try await first.createDelayed(1) }
        let next = try DispatcherFixture(folder: first.folder, time: time)
        _ = next.context.now()
        next.setting.set(to: .seconds(-28_800))
        _ = next.context.now()
        try await next.open {
            try await next.clockSettled()
            let unmoved = try await others(than: .seconds(-28_800), of: tasks, in: next)
            #expect(unmoved.isEmpty)
            #expect(try await next.store.clock().offset == .seconds(-28_800))
        }
    }

    @Test("A start with an unchanged clock moves and stores nothing", arguments: [0, -28_800])
    func unchanged(seconds: Int) async throws {
        let first = try DispatcherFixture(time: time)
        let observer = ClockObserver()
        first.context.wall.add(observer)
        try await first.open {
            _ = try await first.createDelayed(1)
            guard seconds != 0 else { return }
            first.setting.set(to: .seconds(seconds))
            _ = first.context.now()
            _ = await observer.settled.first(1)
        }
        let next = try DispatcherFixture(folder: first.folder, time: time, set: .seconds(seconds))
        let writes = EventLog<StoredClock>()
        next.store.intervene { operation throws(TaskStoreError) in
            if case .setClock(let clock) = operation { writes.append(clock) }
        }
        try await next.open {
            #expect(!next.context.wall.isSettling)
            #expect(next.context.wall.reading.offset == .seconds(seconds))
        }
        #expect(writes.events.isEmpty)
    }

    @Test("An event with a time before the clock was set back, which is stored afterwards, moves no wait again")
    func lateEvent() async throws {
        let fixture = try DispatcherFixture(time: time)
        let observer = ClockObserver()
        fixture.context.wall.add(observer)
        var late: TaskRecord?
        try await fixture.open {
            let creation = try await fixture.creation("later", #","delay":"10m","start":"suspended""#)
            fixture.setting.set(to: .seconds(-28_800))
            _ = fixture.context.now()
            _ = await observer.settled.first(1)
            guard case .created(let task) = try await fixture.dispatcher.create(creation) else {
                throw DispatcherFixture.SessionClosed()
            }
            late = try await fixture.changed(task)
            // The clock is stored in the background.
            let newest = try await fixture.store.eventBounds().newest
            try await until { try await fixture.store.clock().newestEvent == newest }
        }
        let task = try #require(late)
        let after = try await reopened(fixture, set: .seconds(-28_800), task)
        #expect(after?.notBefore == task.notBefore)
    }

    /// Returns the delays that were not moved by a duration.
    private func others(
        than move: Duration, of tasks: [TaskRecord], in fixture: DispatcherFixture
    ) async throws -> [TaskID] {
        var query = TaskQuery()
        query.pageSize = tasks.count + 1
        (query.showsLabels, query.showsDocuments) = (false, false)
        var times: [TaskID: Timestamp] = [:]
        for task in try await fixture.store.tasks(query).tasks { times[task.id] = task.notBefore }
        return tasks.filter { times[$0.id] != $0.notBefore?.adding(move) }.map(\.id)
    }

    @Test("A process that was killed before it has started tasks does not hide that the clock was set back")
    func startAfterKilledStart() async throws {
        let gate = ScriptedTransport.Gate()
        let first = try DispatcherFixture(time: time) { _ in [.wait(gate)] + DispatcherFixture.response }
        try await first.dispatcher.open()
        let delayed = try await first.create("later", suspended: true, #","delay":"10m""#)
        let running = try #require(try await first.reaches(.running, first.create("running")))
        await first.dispatcher.close(patience: .zero)
        await first.store.close()
        let killed = try DispatcherFixture(folder: first.folder, time: time, set: .seconds(-28_800))
        try await killed.dispatcher.prepare(controlStates: [])
        // An event by the new clock.
        let recovered = try await killed.stored(running)
        #expect(recovered?.state == .queued)
        #expect(recovered?.clockOffset == .seconds(-28_800))
        await killed.store.close()
        await killed.dispatcher.close(patience: .zero)
        for _ in 0..<2 {
            let after = try await reopened(first, set: .seconds(-28_800), delayed)
            #expect(after?.notBefore == delayed.notBefore?.adding(.seconds(-28_800)))
        }
    }

    @Test(
        "A start after a process that was killed while it moved waits moves the rest, and nothing twice",
        arguments: [-28_800, 28_800], [false, true])
    func startAfterKill(seconds: Int, withEvent: Bool) async throws {
        let fixture = try DispatcherFixture(time: time)
        let observer = ClockObserver()
        fixture.context.wall.add(observer)
        var tasks: [TaskRecord] = []
        try await fixture.open {
            tasks = try await fixture.createDelayed(ClockAdjustment.step + 1)
            // The only one of the second page.
            let oldest = try #require(tasks.first?.id)
            fixture.store.intervene { operation throws(TaskStoreError) in
                if case .update(let record) = operation, record.id == oldest { throw TaskStoreError.closed }
            }
            fixture.setting.set(to: .seconds(seconds))
            _ = fixture.context.now()
            _ = await observer.settled.first(1)
            fixture.store.intervene(nil)
            let unmoved = try await others(than: .seconds(seconds), of: tasks, in: fixture)
            #expect(unmoved == [oldest])
            // An event by the new clock.
            if withEvent { _ = try await fixture.create("new", suspended: true) }
        }
        for isReadable in [false, true] {
            let next = try DispatcherFixture(folder: fixture.folder, time: time, set: .seconds(seconds))
            // Whatever is known of the last event.
            next.store.intervene { operation throws(TaskStoreError) in
                if case .events = operation, !isReadable { throw TaskStoreError(.corrupt, "The event is damaged") }
            }
            try await next.open {
                try await next.clockSettled()
                let unmoved = try await others(than: .seconds(seconds), of: tasks, in: next)
                #expect(unmoved.isEmpty)
            }
        }
    }

    @Test(
        "A task that is deleted before it is moved, or cannot be read, does not make later starts move waits again",
        arguments: [true, false])
    func startWithoutTask(isDeleted: Bool) async throws {
        let first = try DispatcherFixture(time: time)
        var tasks: [TaskRecord] = []
        try await first.open { tasks = try await first.createDelayed(2) }
        let id = tasks[0].id
        let next = try DispatcherFixture(folder: first.folder, time: time, set: .seconds(-28_800))
        next.store.intervene { (operation) async throws(TaskStoreError) in
            guard case .task(id) = operation else { return }
            guard isDeleted else { throw TaskStoreError(.corrupt, "The task is damaged") }
            // By a client, after the walk has listed it.
            _ = try await next.store.delete(id, at: next.now(), because: .client)
        }
        try await next.open {
            try await next.clockSettled()
            next.store.intervene(nil)
            let unmoved = try await others(than: .seconds(-28_800), of: tasks, in: next)
            #expect(unmoved == [id])
            let clock = try await next.store.clock()
            #expect(clock.isSettled)
        }
    }

    @Test("A task whose wait cannot be stored, as it is damaged, delays neither the start nor the tasks that are due")
    func startWithDamagedTask() async throws {
        let first = try DispatcherFixture(time: time)
        var tasks: [TaskRecord] = []
        try await first.open {
            for path in ["damaged", "other"] { tasks.append(try await first.create(path, #","delay":"10m""#)) }
        }
        let (damaged, other) = (tasks[0], tasks[1])
        let next = try DispatcherFixture(folder: first.folder, time: time, set: .seconds(-28_800))
        next.store.intervene { operation async throws(TaskStoreError) in
            guard case .update(let record) = operation, record.id == damaged.id else { return }
            throw TaskStoreError(.corrupt, "The task store is damaged")
        }
        try await next.open {
            try await next.clockSettled()
            let clock = try await next.store.clock()
            #expect(clock.isSettled)
            try await until {
                if try await next.stored(other)?.state == .succeeded { return true }
                // A timer that is being set again misses an advance.
                if time.sleeperCount >= 2 { time.advance(by: .seconds(60)) }
                return false
            }
            let unmoved = try await next.stored(damaged)
            #expect(unmoved?.state == .scheduled)
            #expect(unmoved?.notBefore == damaged.notBefore)
        }
    }

    @Test(
        "A start after a process in which the clock was set twice, and that was killed while it moved waits",
        arguments: [-36_000, 0])
    func startAfterSecondChange(seconds: Int) async throws {
        let fixture = try DispatcherFixture(time: time)
        let observer = ClockObserver()
        fixture.context.wall.add(observer)
        let isKilled = Mutex(false)
        var tasks: [TaskRecord] = []
        try await fixture.open {
            tasks = try await fixture.createDelayed(ClockAdjustment.step + 1)
            // The only one of the second page.
            let oldest = try #require(tasks.first?.id)
            fixture.store.intervene { operation throws(TaskStoreError) in
                guard case .update(let record) = operation else { return }
                if record.id == oldest {
                    isKilled.withLock { $0 = true }
                    fixture.setting.set(to: .seconds(seconds))
                    _ = fixture.context.now()
                }
                if isKilled.withLock({ $0 }) { throw TaskStoreError.closed }
            }
            fixture.setting.set(to: .seconds(-28_800))
            _ = fixture.context.now()
            _ = await observer.settled.first(1)
            fixture.store.intervene(nil)
            let unmoved = try await others(than: .seconds(-28_800), of: tasks, in: fixture)
            #expect(unmoved == [oldest])
        }
        for _ in 0..<2 {
            let next = try DispatcherFixture(folder: fixture.folder, time: time, set: .seconds(seconds))
            try await next.open {
                try await next.clockSettled()
                let unmoved = try await others(than: .seconds(seconds), of: tasks, in: next)
                #expect(unmoved.isEmpty)
            }
        }
    }

    @Test(
        "A stop while waits are moved ends the walk behind a page, and the next start moves the rest, nothing twice",
        arguments: [false, true])
    func startAfterStop(isResumed: Bool) async throws {
        let fixture = try DispatcherFixture(time: time)
        let (reached, goOn) = (Signal<Void>(), Signal<Void>())
        try await fixture.dispatcher.open()
        let tasks = try await fixture.createDelayed(ClockAdjustment.step + 1)
        let newest = try #require(tasks.last?.id)
        fixture.store.intervene { operation in
            guard case .update(let record) = operation, record.id == newest else { return }
            reached.send()
            await goOn.wait()
        }
        fixture.setting.set(to: .seconds(-28_800))
        _ = fixture.context.now()
        await reached.wait()
        // A step of its own moves a task that the walk does not reach.
        if isResumed { try await fixture.resume(tasks[0]) }
        let closing = Task { await fixture.dispatcher.close(patience: .seconds(30)) }
        try await until { fixture.dispatcher.clockAdjustment.isStopped }
        goOn.send()
        await closing.value
        let unmoved = try await others(than: .seconds(-28_800), of: tasks, in: fixture)
        #expect(unmoved == (isResumed ? [] : [tasks[0].id]))
        await fixture.store.close()
        let next = try DispatcherFixture(folder: fixture.folder, time: time, set: .seconds(-28_800))
        try await next.open {
            try await next.clockSettled()
            let unmoved = try await others(than: .seconds(-28_800), of: tasks, in: next)
            #expect(unmoved.isEmpty)
        }
    }

    @Test("A change of the clock while the gateway ends is stored, and the next start moves waits by it")
    func startAfterLateChange() async throws {
        let fixture = try DispatcherFixture(time: time)
        let observer = ClockObserver()
        fixture.context.wall.add(observer)
        try await fixture.dispatcher.open()
        let tasks = try await fixture.createDelayed(1)
        await fixture.dispatcher.drain(patience: .seconds(30))
        // Forward, of which no event tells the next start.
        fixture.setting.set(to: .seconds(28_800))
        _ = fixture.context.now()
        _ = await observer.settled.first(1)
        await fixture.dispatcher.close()
        await fixture.store.close()
        let next = try DispatcherFixture(folder: fixture.folder, time: time, set: .seconds(28_800))
        try await next.open {
            try await next.clockSettled()
            let unmoved = try await others(than: .seconds(28_800), of: tasks, in: next)
            #expect(unmoved.isEmpty)
        }
    }
}

extension DispatcherFixture {
    /// Creates suspended tasks with a delay in one write, and returns them from the oldest to the newest.
    func createDelayed(_ count: Int) async throws -> [TaskRecord] {
        let creations = try await creations(count, path: "later", #","delay":"10m","start":"suspended""#)
        return try await dispatcher.create(creations).map { answer in
            guard case .created(let task) = try answer.get() else { throw SessionClosed() }
            return task
        }
    }
}
