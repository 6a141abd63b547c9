import ErrandConfiguration
import ErrandLocking
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Retention", .timeLimit(.hang))
struct RetentionSweeperTests {
    private let time = ManualClock()

    private func retention(_ change: (inout RetentionConfiguration) -> Void) -> RetentionConfiguration {
        var retention = RetentionConfiguration()
        change(&retention)
        return retention
    }

    /// Advances the time to the next sweep and waits for it.
    private func sweep(_ fixture: DispatcherFixture) async {
        await time.sleepers(1)
        time.advance(by: RetentionSweeper.interval)
    }

    @Test("A task is kept for the retention time of its state, then removed with its body")
    func expires() async throws {
        let content = Array(repeating: UInt8(ascii: "a"), count: 1000)
        var configuration = try DispatcherFixture.configuration()
        configuration.response.serializer = .init(.raw)
        let fixture = try DispatcherFixture(
            time: time,
            retention: retention {
                $0.succeeded = .seconds(45)
                $0.canceled = .seconds(20)
            },
            configuration: configuration
        ) { _ in [.head(ResponseHead(status: 200)), .bytes(content)] }
        try await fixture.open {
            let task = try await fixture.create()
            let done = try #require(try await fixture.finished(task))
            #expect(done.expiresAt == fixture.now().adding(.seconds(45)))
            #expect(try fixture.folder.hasBody(task.id))
            let canceled = try await fixture.create(suspended: true)
            _ = try await fixture.dispatcher.cancel(canceled.id)
            await sweep(fixture)
            // A task that expires earlier shows that the sweep has taken place.
            try await fixture.removed(canceled)
            #expect(try await fixture.context.task(task.id) != nil)
            await sweep(fixture)
            try await fixture.removed(task)
            // After the task, its file is removed from the disk, which has no event.
            try await until { try !fixture.folder.hasBody(task.id) }
        }
    }

    @Test("A task that cannot be removed does not keep the others, and is removed later")
    func stuckTask() async throws {
        let fixture = try DispatcherFixture(time: time, retention: retention { $0.canceled = .seconds(20) })
        try await fixture.open {
            let stuck = try await fixture.create(suspended: true)
            let other = try await fixture.create(suspended: true)
            for task in [stuck, other] { _ = try await fixture.dispatcher.cancel(task.id) }
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .delete(stuck.id) = operation { throw TaskStoreError(.corrupt, "Unreadable") }
            }
            await sweep(fixture)
            try await fixture.removed(other)
            #expect(try await fixture.context.task(stuck.id) != nil)
            fixture.store.intervene(nil)
            await sweep(fixture)
            try await fixture.removed(stuck)
        }
    }

    /// Creates tasks and cancels them; returns them from the oldest to the newest.
    private func canceled(_ count: Int, in fixture: DispatcherFixture) async throws -> [TaskRecord] {
        var creations: [Dispatcher.Creation] = []
        for _ in 0..<count { creations.append(try await fixture.creation("", #","start":"suspended""#)) }
        for answer in await fixture.dispatcher.create(creations) { _ = try answer.get() }
        let canceled = try await fixture.dispatcher.cancelTasks(of: "up", scope: .pending)
        #expect(canceled == count)
        return creations.map(\.task.record)
    }

    @Test(
        "A whole step of tasks that cannot be removed does not keep those behind it, nor remove tasks in their place",
        arguments: [false, true])
    func stuckStep(byLimit: Bool) async throws {
        let fixture = try DispatcherFixture(
            time: time, retention: retention { if byLimit { $0.maxTasks = 1 } else { $0.canceled = .seconds(20) } })
        try await fixture.open {
            await time.sleepers(1)
            let stuck = try await canceled(RetentionSweeper.step, in: fixture)
            time.advance(by: .milliseconds(1))
            let later = try await canceled(1, in: fixture)
            time.advance(by: .milliseconds(1))
            let newest = try await canceled(byLimit ? 1 : 0, in: fixture)
            let ids = Set(stuck.map(\.id))
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .delete(let id) = operation, ids.contains(id) else { return }
                throw TaskStoreError(.corrupt, "Unreadable")
            }
            await sweep(fixture)
            for task in later { try await fixture.removed(task) }
            for task in stuck { #expect(try await fixture.stored(task) != nil) }
            fixture.store.intervene(nil)
            await sweep(fixture)
            for task in stuck { try await fixture.removed(task) }
            for task in newest { #expect(try await fixture.stored(task) != nil) }
        }
    }

    @Test("A sweep ends when the store has failed to remove a number of tasks, and the next one removes them")
    func failingStore() async throws {
        let fixture = try DispatcherFixture(time: time, retention: retention { $0.canceled = .seconds(20) })
        try await fixture.open {
            await time.sleepers(1)
            let tasks = try await canceled(RetentionSweeper.mostFailures + 1, in: fixture)
            let tries = Mutex(0)
            let ends = EventLog<Void>()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                switch operation {
                case .delete:
                    tries.withLock { $0 += 1 }
                    throw TaskStoreError(.inputOutput, "Broken")
                case .forget: ends.append()
                default: break
                }
            }
            await sweep(fixture)
            _ = await ends.first(1)
            #expect(tries.withLock { $0 } == RetentionSweeper.mostFailures)
            fixture.store.intervene(nil)
            await sweep(fixture)
            for task in tasks { try await fixture.removed(task) }
        }
    }

    @Test("A task that expires before its end is noted in memory is left to the next sweep, which removes it there too")
    func endUnderWay() async throws {
        let fixture = try DispatcherFixture(time: time, retention: retention { $0.succeeded = .seconds(5) })
        try await fixture.open {
            await time.sleepers(1)
            let (stored, goOn, sweeps) = (Signal<Void>(), Signal<Void>(), EventLog<Void>())
            fixture.store.intervene { operation in
                switch operation {
                case .updated(let record) where record.state == .succeeded:
                    stored.send()
                    await goOn.wait()
                case .forget: sweeps.append()
                default: break
                }
            }
            let task = try await fixture.create()
            await stored.wait()
            await sweep(fixture)
            _ = await sweeps.first(1)
            #expect(try await fixture.stored(task) != nil)
            goOn.send()
            try await fixture.expect(.succeeded, of: task)
            try await until { !fixture.dispatcher.hasLiveTasks }
            await sweep(fixture)
            _ = await sweeps.first(2)
            #expect(try await fixture.context.task(task.id) == nil)
        }
    }

    @Test("Beyond the limit of finished tasks, those that ended first are removed")
    func maxTasks() async throws {
        let fixture = try DispatcherFixture(time: time, retention: retention { $0.maxTasks = 3 })
        try await fixture.open {
            var tasks: [TaskRecord] = []
            for number in 0..<6 {
                let task = try await fixture.create("\(number)")
                try await fixture.expect(.succeeded, of: task)
                tasks.append(task)
                time.advance(by: .milliseconds(1))
            }
            let waiting = try await fixture.create(suspended: true)
            await sweep(fixture)
            for task in tasks.prefix(3) { try await fixture.removed(task) }
            for (index, task) in tasks.enumerated() {
                #expect((try await fixture.stored(task) == nil) == (index < 3))
            }
            #expect(try await fixture.stored(waiting) != nil)
        }
    }

    @Test(
        "A key lives its own time, also if a limit or the retention time has removed its task",
        arguments: [true, false])
    func keys(byLimit: Bool) async throws {
        let fixture = try DispatcherFixture(
            time: time,
            retention: retention {
                if byLimit { $0.maxTasks = 1 } else { $0.succeeded = .seconds(20) }
            })
        func create() async throws -> Result<TaskCreationOutcome, TaskStoreError>? {
            var creation = try await fixture.creation("once")
            creation.task.idempotency = .sample("a", expiresAt: fixture.now().adding(.seconds(3600)))
            return await fixture.dispatcher.create([creation]).first
        }
        try await fixture.open {
            guard case .success(.created(let first)) = try await create() else {
                Issue.record("The task was not created")
                return
            }
            try await fixture.expect(.succeeded, of: first)
            time.advance(by: .milliseconds(1))
            if byLimit { try await fixture.expect(.succeeded, of: fixture.create("other")) }
            await sweep(fixture)
            try await fixture.removed(first)
            guard case .success(.replayedRemoved(let removed)) = try await create() else {
                Issue.record("The key has died with its task")
                return
            }
            #expect(removed.id == first.id)
            #expect(fixture.paths == (byLimit ? ["/once", "/other"] : ["/once"]))
            await time.sleepers(1)
            time.advance(by: .seconds(3600))
            guard case .success(.created(let second)) = try await create() else {
                Issue.record("The key outlives its time")
                return
            }
            try await fixture.expect(.succeeded, of: second)
        }
    }

    @Test("A reload changes the retention times of tasks that end afterwards")
    func reload() async throws {
        let fixture = try DispatcherFixture(time: time)
        try await fixture.open {
            let before = try #require(try await fixture.finished(fixture.create()))
            fixture.dispatcher.configure(
                maxRunning: 10, window: 100, retention: retention { $0.succeeded = .seconds(5) })
            let after = try #require(try await fixture.finished(fixture.create()))
            #expect(before.expiresAt == before.finishedAt?.adding(.seconds(86_400)))
            #expect(after.expiresAt == after.finishedAt?.adding(.seconds(5)))
        }
    }

    @Test("Tasks that expired while the gateway was down are removed when it is up; a failed sweep is repeated")
    func later() async throws {
        let before = try DispatcherFixture(time: time, retention: retention { $0.succeeded = .seconds(5) })
        var task: TaskRecord?
        try await before.open {
            let created = try await before.create()
            task = try await before.finished(created)
        }
        let expired = try #require(task)
        time.advance(by: .seconds(10))
        let fixture = try DispatcherFixture(folder: before.folder, time: time)
        let reads = EventLog<Void>()
        fixture.store.intervene { (operation) async throws(TaskStoreError) in
            guard case .expired = operation else { return }
            let isFirst = reads.events.isEmpty
            reads.append()
            if isFirst { throw TaskStoreError(.diskFull, "Full") }
        }
        try await fixture.open {
            _ = await reads.first(1)
            await sweep(fixture)
            try await fixture.removed(expired)
        }
    }

    @Test("More tasks than a step removes are removed step by step, without exception")
    func steps() async throws {
        let fixture = try DispatcherFixture(time: time, retention: retention { $0.canceled = .seconds(5) })
        try await fixture.open {
            var tasks: [Dispatcher.Creation] = []
            for _ in 0..<250 { tasks.append(try await fixture.creation("", #","start":"suspended""#)) }
            _ = await fixture.dispatcher.create(tasks)
            #expect(try await fixture.dispatcher.cancelTasks(of: "up", scope: .pending) == 250)
            let reads = Mutex(0)
            fixture.store.intervene { (operation) async throws(TaskStoreError) in
                if case .expired = operation { reads.withLock { $0 += 1 } }
            }
            await sweep(fixture)
            for task in tasks { try await fixture.removed(task.task.record) }
            #expect(reads.withLock { $0 } >= 3)
        }
    }
}
