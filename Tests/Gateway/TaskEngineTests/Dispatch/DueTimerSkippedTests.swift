import ErrandLocking
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("DueTimer: tasks that stay due after their step", .timeLimit(.hang))
struct DueTimerSkippedTests {
    private let time = ManualClock()

    /// Returns a task that is scheduled, or suspended with a deadline.
    private func task(_ number: Int, start: Int? = nil, deadline: Int? = nil) -> TaskRecord {
        var record = TaskRecord.sample(number, session: "up", state: start == nil ? .suspended : .scheduled)
        record.change { values in
            values.notBefore = start.map { DispatcherFixture.start.adding(.seconds($0)) }
            values.deadline = deadline.map { DispatcherFixture.start.adding(.seconds($0)) }
        }
        return record
    }

    /// Adds tasks to the store, but not to memory.
    private func insert(_ tasks: [TaskRecord], in fixture: DispatcherFixture) async throws {
        for insertion in await fixture.store.insert(tasks.map { NewTask($0) }) { _ = try insertion.get() }
    }

    @Test("Tasks that cannot be read are read once, and hide no task behind or before them")
    func unreadable() async throws {
        let fixture = try DispatcherFixture(time: time)
        let count = 5000
        let sealed = (0..<count).map { task($0, start: 10) }
        let readable = task(count, start: 11)
        try await insert(sealed + [readable], in: fixture)
        time.advance(by: .seconds(60))
        let rows = Mutex(0)
        fixture.store.intervene { (operation) async throws(TaskStoreError) in
            switch operation {
            case .due(let limit): rows.withLock { $0 += limit }
            case .task: rows.withLock { $0 += 1 }
            default: break
            }
        }
        let (timer, steps) = (DueTimer(fixture.context), StuckSteps(unreadable: Set(sealed.map(\.id))))
        timer.start(steps)
        let pages = await steps.deliveries.first(count / 500 + 1)
        #expect(pages.last?.tasks == [readable.id])
        #expect(rows.withLock { $0 } < 2 * count)
        // Before the others, as its client has moved it.
        let moved = task(count + 1, start: 5)
        try await insert([moved], in: fixture)
        timer.watch(moved)
        let last = await steps.deliveries.first(count / 500 + 2).last
        #expect(last?.tasks == [moved.id])
        #expect(rows.withLock { $0 } < 2 * count)
        await timer.stop()
        await fixture.store.close()
    }

    @Test("A task that is written while it gets its step, and stays overdue, gets the step again")
    func writtenMeanwhile() async throws {
        let fixture = try DispatcherFixture(time: time)
        let tasks = [task(1, deadline: 10), task(2, deadline: 20)]
        try await insert(tasks, in: fixture)
        time.advance(by: .seconds(60))
        let timer = DueTimer(fixture.context)
        let isFirst = Mutex(true)
        let steps = StuckSteps { _ in
            let writes = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if writes { timer.watch(tasks[0]) }
        }
        timer.start(steps)
        let deliveries = await steps.deliveries.first(2)
        #expect(deliveries.map(\.tasks) == [tasks.map(\.id), [tasks[0].id]])
        await timer.stop()
        #expect(steps.deliveries.events.count == 2)
        await fixture.store.close()
    }

    @Test("A task that is removed while it gets its step does not get it again")
    func removedMeanwhile() async throws {
        let fixture = try DispatcherFixture(time: time)
        let (removed, other) = (task(1, deadline: 10), task(2, deadline: 70))
        try await insert([removed, other], in: fixture)
        time.advance(by: .seconds(60))
        let timer = DueTimer(fixture.context)
        let now = fixture.now()
        let steps = StuckSteps { delivery in
            guard delivery.tasks == [removed.id] else { return }
            timer.watch(removed)
            _ = try? await fixture.store.delete(removed.id, at: now, because: .client)
            timer.forget(removed.id)
        }
        timer.start(steps)
        _ = await steps.deliveries.first(1)
        await time.sleepers(1)
        time.advance(by: .seconds(10))
        let last = await steps.deliveries.first(2).last
        #expect(last == StuckSteps.Delivery(isDeadline: true, tasks: [other.id]))
        await timer.stop()
        await fixture.store.close()
    }

    @Test("After the clock was set back, a task that stayed due gets its step again when its time comes")
    func setBack() async throws {
        let fixture = try DispatcherFixture(time: time)
        let task = task(1, deadline: 50)
        try await insert([task], in: fixture)
        time.advance(by: .seconds(60))
        let (timer, steps) = (DueTimer(fixture.context), StuckSteps())
        timer.start(steps)
        _ = await steps.deliveries.first(1)
        fixture.setting.set(to: .seconds(-20))
        _ = fixture.context.now()
        try await fixture.clockSettled()
        await time.sleepers(1)
        #expect(steps.deliveries.events.count == 1)
        time.advance(by: .seconds(10))
        #expect(await steps.deliveries.first(2).last == StuckSteps.Delivery(isDeadline: true, tasks: [task.id]))
        await timer.stop()
        await fixture.store.close()
    }
}
