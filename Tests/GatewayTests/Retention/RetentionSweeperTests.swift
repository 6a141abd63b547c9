import Configuration
import HTTPTypes
import Locking
import ResponseSerialization
import SessionCore
import Support
import TaskStore
import Testing
import Transfer

@testable import Gateway

@Suite("Retention", .timeLimit(.minutes(1)))
struct RetentionSweeperTests {
    private let time = ManualClock()

    private func retention(_ change: (inout RetentionConfiguration) -> Void) -> RetentionConfiguration {
        var retention = RetentionConfiguration()
        change(&retention)
        return retention
    }

    /// Lets the sweep come that is due after its interval.
    private func sweep(_ fixture: DispatcherFixture) async {
        while time.sleeperCount < 1 { await Task.yield() }
        time.advance(by: RetentionSweeper.interval)
    }

    @Test("A task is kept for as long as its end says, then it is gone with its body")
    func expires() async throws {
        let content = Array(repeating: UInt8(ascii: "a"), count: 1000)
        var configuration = try DispatcherFixture.configuration()
        configuration.response.serializer = .init(.raw)
        let fixture = try DispatcherFixture(
            time: time, retention: retention { $0.succeeded = .seconds(45) }, configuration: configuration
        ) { _ in [.head(ResponseHead(status: 200)), .bytes(content)] }
        try await fixture.open {
            let task = try await fixture.create()
            let done = try #require(try await fixture.finished(task))
            #expect(done.expiresAt == fixture.now().adding(.seconds(45)))
            #expect(try fixture.folder.hasBody(task.id))
            await sweep(fixture)
            #expect(try await fixture.dispatcher.task(task.id) != nil)
            await sweep(fixture)
            while try await fixture.dispatcher.task(task.id) != nil { await Task.yield() }
            while try fixture.folder.hasBody(task.id) { await Task.yield() }
        }
    }

    @Test("Beyond so many that are done, those go that were done first")
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
            while try await fixture.store.counts().total > 4 { await Task.yield() }
            for (index, task) in tasks.enumerated() {
                #expect((try await fixture.stored(task) == nil) == (index < 3))
            }
            #expect(try await fixture.stored(waiting) != nil)
        }
    }

    @Test("A reload changes how long those are kept that end from then on")
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

    @Test("What expired while the gateway was down goes when it is up; a store that fails is asked again")
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
        let failures = Mutex(0)
        fixture.store.intervene { (operation) async throws(TaskStoreError) in
            guard case .expired = operation,
                failures.withLock({
                    $0 += 1; return $0 == 1
                })
            else { return }
            throw TaskStoreError(.diskFull, "Full")
        }
        try await fixture.open {
            while failures.withLock({ $0 }) == 0 { await Task.yield() }
            await sweep(fixture)
            while try await fixture.stored(expired) != nil { await Task.yield() }
        }
    }

    @Test("More tasks than a step removes go step by step, none of them left behind")
    func steps() async throws {
        let fixture = try DispatcherFixture(time: time, retention: retention { $0.canceled = .seconds(5) })
        try await fixture.open {
            var tasks: [Dispatcher.Creation] = []
            for _ in 0..<250 { tasks.append(try await fixture.creation("", #","start":"suspended""#)) }
            _ = await fixture.dispatcher.create(tasks)
            #expect(try await fixture.dispatcher.cancelTasks(of: "up", .pending) == 250)
            let reads = Mutex(0)
            fixture.store.intervene { (operation) async throws(TaskStoreError) in
                if case .expired = operation { reads.withLock { $0 += 1 } }
            }
            await sweep(fixture)
            while try await fixture.store.counts().total > 0 { await Task.yield() }
            #expect(reads.withLock { $0 } >= 3)
        }
    }
}
