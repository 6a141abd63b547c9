import ErrandLocking
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("DueTimer: skipped tasks", .timeLimit(.hang))
struct DueTimerSkippedTests {
    private static let sealed = TaskStoreError(.sealed, "The record is sealed with another key")

    private let time = ManualClock()

    /// Adds a task to the store, but not to memory.
    ///
    /// - Parameters:
    ///   - start: The seconds until its earliest start; `nil` for a suspended task without one.
    ///   - deadline: The seconds until its deadline.
    private func insert(
        _ number: Int, start: Int? = nil, deadline: Int, in fixture: DispatcherFixture
    ) async throws -> TaskRecord {
        var record = TaskRecord.sample(number, session: "up", state: start == nil ? .suspended : .scheduled)
        record.change { values in
            values.notBefore = start.map { DispatcherFixture.start.adding(.seconds($0)) }
            values.deadline = DispatcherFixture.start.adding(.seconds(deadline))
        }
        for insertion in await fixture.store.insert([NewTask(record)]) { _ = try insertion.get() }
        return record
    }

    /// A read of the store by the timer.
    private enum Read: Sendable {
        /// A page of tasks.
        case page
        /// The next moment of all tasks, of which none is skipped.
        case alarm
    }

    /// Records the reads of the timer.
    ///
    /// - Parameter body: Runs before a task is read.
    private func reads(
        of fixture: DispatcherFixture,
        beforeTask body: @escaping @Sendable (TaskID) async throws(TaskStoreError) -> Void
    ) -> EventLog<Read> {
        let reads = EventLog<Read>()
        fixture.store.intervene { (operation) async throws(TaskStoreError) in
            switch operation {
            case .overdue, .due: reads.append(.page)
            case .nextAlarm: reads.append(.alarm)
            case .task(let id): try await body(id)
            default: break
            }
        }
        return reads
    }

    @Test("A task that is started while the next moment is looked for still fails at its deadline")
    func startedMeanwhile() async throws {
        let fixture = try DispatcherFixture(time: time)
        let unreadable = try await insert(1, deadline: 10, in: fixture)
        let started = try await insert(2, start: 1000, deadline: 1990, in: fixture)
        let other = try await insert(3, deadline: 2000, in: fixture)
        time.advance(by: .seconds(60))
        let update = try #require(TaskTransition(of: .runNow, on: started, at: fixture.now()).update)
        let (timer, steps) = (DueTimer(fixture.context), StuckSteps())
        let count = Mutex(0)
        fixture.store.intervene { (operation) async throws(TaskStoreError) in
            guard case .task(let id) = operation else { return }
            if id == unreadable.id { throw Self.sealed }
            let isSecond = count.withLock { count -> Bool in
                if id == started.id { count += 1 }
                return id == started.id && count == 2
            }
            // Its deadline was read before, and its start is read now.
            guard isSecond else { return }
            _ = try await fixture.store.update(update)
            timer.didWrite(update.record)
        }
        timer.start(steps)
        _ = await steps.deliveries.first(1)
        await time.sleepers(1)
        time.advance(by: .seconds(2000))
        let last = await steps.deliveries.first(2).last
        #expect(last == StuckSteps.Delivery(isDeadline: true, tasks: [started.id, other.id]))
        await timer.stop()
        await fixture.store.close()
    }

    @Test("A task that is removed just before the timer skips it is not skipped for ever")
    func removedBeforeStep() async throws {
        let fixture = try DispatcherFixture(time: time)
        let removed = try await insert(1, deadline: 10, in: fixture)
        time.advance(by: .seconds(60))
        let now = fixture.now()
        let reads = reads(of: fixture) { _ async throws(TaskStoreError) in
            // The timer was told of the removal before it skipped the task.
            _ = try await fixture.store.delete(removed.id, at: now, because: .client)
        }
        let (timer, steps) = (DueTimer(fixture.context), StuckSteps())
        timer.start(steps)
        // Deadlines, deadlines behind the task, and due times.
        #expect(await reads.first(4) == [.page, .page, .page, .alarm])
        await timer.stop()
        #expect(steps.deliveries.events == [StuckSteps.Delivery(isDeadline: true, tasks: [removed.id])])
        await fixture.store.close()
    }

    @Test("A task that is removed while the next moment is looked for is not skipped for ever")
    func removedMeanwhile() async throws {
        let fixture = try DispatcherFixture(time: time)
        let unreadable = try await insert(1, deadline: 10, in: fixture)
        let removed = try await insert(2, deadline: 1000, in: fixture)
        time.advance(by: .seconds(60))
        let now = fixture.now()
        let reads = reads(of: fixture) { id async throws(TaskStoreError) in
            if id == unreadable.id { throw Self.sealed }
            _ = try await fixture.store.delete(removed.id, at: now, because: .client)
        }
        let (timer, steps) = (DueTimer(fixture.context), StuckSteps())
        timer.start(steps)
        // Those of due tasks, and those of the next moments: a page, and that behind it, or none.
        #expect(await reads.first(6) == Array(repeating: Read.page, count: 6))
        _ = try await fixture.store.delete(unreadable.id, at: now, because: .client)
        timer.forget(unreadable.id)
        timer.check()
        #expect(await reads.first(9).suffix(3) == [.page, .page, .alarm])
        await timer.stop()
        #expect(steps.deliveries.events == [StuckSteps.Delivery(isDeadline: true, tasks: [unreadable.id])])
        await fixture.store.close()
    }
}
