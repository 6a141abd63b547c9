import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("BulkWork", .timeLimit(.hang))
struct BulkWorkTests {
    private struct Unexpected: Error {}

    /// Creates finished tasks of one ordering key in a folder, and returns them from the oldest to the newest.
    private func finished(_ count: Int, in folder: GatewayFolder) async throws -> [TaskID] {
        let fixture = try DispatcherFixture(folder: folder)
        var ids: [TaskID] = []
        try await fixture.open {
            for number in 0..<count {
                let task = try await fixture.create("\(number)", suspended: true, #","ordering_key":"k""#)
                guard case .done = try await fixture.dispatcher.cancel(task.id) else { throw Unexpected() }
                ids.append(task.id)
            }
        }
        return ids
    }

    /// Returns an action on tasks, by default a retry.
    private func work(
        _ action: BulkWork.Action = .retry, on ids: [TaskID], _ fixture: DispatcherFixture, pageSize: Int
    ) -> BulkWork {
        work(BulkWork.Call(action, on: .ids(ids)), fixture, pageSize: pageSize)
    }

    private func work(_ call: BulkWork.Call, _ fixture: DispatcherFixture, pageSize: Int) -> BulkWork {
        let services = TaskServices(
            context: fixture.context, dispatcher: fixture.dispatcher, keysInUse: IdempotencyKeysInUse(),
            bulkRequests: BulkRequests(), keyLifetime: .seconds(3600), maxDepth: 64)
        return BulkWork(service: services.service(for: .anonymous), call: call, pageSize: pageSize)
    }

    /// Returns the tasks that repeat others.
    private func retries(_ fixture: DispatcherFixture) async throws -> [TaskRecord] {
        try await fixture.store.tasks(TaskQuery()).tasks.filter { $0.retryOf != nil }
    }

    @Test("A task does not overtake an earlier one of its ordering key that a full queue has refused on another page")
    func orderAcrossPages() async throws {
        let folder = try GatewayFolder()
        let ids = try await finished(4, in: folder)
        var configuration = try DispatcherFixture.configuration()
        configuration.limits.maxQueued = 1
        // Another fixture, so that the tasks are read from the store.
        let fixture = try DispatcherFixture(folder: folder, configuration: configuration)
        try await fixture.open {
            try await SessionOperations(context: fixture.context, dispatcher: fixture.dispatcher).suspend("up")
            let filling = try await fixture.create("filling")
            #expect(filling.state == .queued)
            fixture.store.intervene { operation async throws(TaskStoreError) in
                // The first task was refused, and the queue has room before the first task of the second page is tried.
                guard case .task(let id) = operation, id == ids[2] else { return }
                _ = try await fixture.dispatcher.cancel(filling)
            }
            let outcome = await work(on: ids, fixture, pageSize: 2).run()
            fixture.store.intervene(nil)
            #expect(try await fixture.stored(filling)?.state == .canceled)
            let new = try await retries(fixture)
            #expect(new.isEmpty)
            let isFull = if case .queueFull? = outcome.refusal { true } else { false }
            #expect(isFull)
            #expect(outcome.matched == 4)
            #expect(outcome.changed == 0)
        }
    }

    /// The filter of finished tasks.
    private var allCanceled: BulkFilter {
        var query = TaskQuery()
        query.states = [.canceled]
        return .matching(query)
    }

    @Test("The retry of a filter begins before all its tasks are known, from the oldest to the newest")
    func retryInPages() async throws {
        let folder = try GatewayFolder()
        let ids = try await finished(6, in: folder)
        let fixture = try DispatcherFixture(folder: folder)
        try await fixture.open {
            let operations = EventLog<TaskID?>()
            fixture.store.intervene { operation in
                switch operation {
                case .identifiers(.begunRequests): operations.append(nil)
                case .insert(let record): operations.append(record.retryOf)
                default: break
                }
            }
            let outcome = await work(BulkWork.Call(.retry, on: allCanceled), fixture, pageSize: 2).run()
            fixture.store.intervene(nil)
            #expect(outcome.error == nil)
            #expect(outcome.matched == 6)
            #expect(outcome.changed == 6)
            #expect(operations.events.compactMap(\.self) == ids)
            let firstRetry = try #require(operations.events.firstIndex { $0 != nil })
            let lastPage = try #require(operations.events.lastIndex { $0 == nil })
            #expect(firstRetry < lastPage)
        }
    }

    @Test(
        "The retry of a filter with a limit takes the newest tasks, from the oldest of them", arguments: [1, 3, 4, 9])
    func limitInPages(limit: Int) async throws {
        let folder = try GatewayFolder()
        let ids = try await finished(6, in: folder)
        let fixture = try DispatcherFixture(folder: folder)
        try await fixture.open {
            let retried = EventLog<TaskID?>()
            fixture.store.intervene { operation in
                if case .insert(let record) = operation { retried.append(record.retryOf) }
            }
            let call = BulkWork.Call(.retry, on: allCanceled, limit: limit)
            let outcome = await work(call, fixture, pageSize: 2).run()
            fixture.store.intervene(nil)
            #expect(outcome.matched == min(limit, 6))
            #expect(outcome.changed == min(limit, 6))
            #expect(retried.events == ids.suffix(limit).map(Optional.some))
        }
    }

    @Test("The retry of a filter with a limit that fits into a page reads it once")
    func limitInOnePage() async throws {
        let folder = try GatewayFolder()
        let ids = try await finished(3, in: folder)
        let fixture = try DispatcherFixture(folder: folder)
        try await fixture.open {
            let (reads, retried) = (EventLog<Void>(), EventLog<TaskID?>())
            fixture.store.intervene { operation in
                switch operation {
                case .identifiers(.begunRequests): reads.append()
                case .insert(let record): retried.append(record.retryOf)
                default: break
                }
            }
            let outcome = await work(BulkWork.Call(.retry, on: allCanceled, limit: 2), fixture, pageSize: 2).run()
            fixture.store.intervene(nil)
            #expect(outcome.matched == 2)
            #expect(reads.events.count == 1)
            #expect(retried.events == ids.suffix(2).map(Optional.some))
        }
    }

    @Test("The retry of a filter with a limit takes no more tasks, also if others begin to match meanwhile")
    func matchingMeanwhile() async throws {
        let folder = try GatewayFolder()
        let ids = try await finished(3, in: folder)
        let fixture = try DispatcherFixture(folder: folder)
        try await fixture.open {
            let waiting = try await fixture.create("waiting", suspended: true)
            let isFirst = Mutex(true)
            fixture.store.intervene { operation async throws(TaskStoreError) in
                let isNow = isFirst.withLock { isFirst in
                    guard case .insert = operation, isFirst else { return false }
                    isFirst = false
                    return true
                }
                // It begins to match, and is newer than those that were selected.
                if isNow { _ = try await fixture.dispatcher.cancel(waiting) }
            }
            let call = BulkWork.Call(.retry, on: allCanceled, limit: 3)
            let outcome = await work(call, fixture, pageSize: 1).run()
            fixture.store.intervene(nil)
            let new = try await retries(fixture)
            #expect(Set(new.compactMap(\.retryOf)) == Set(ids))
            #expect(outcome.matched == 3)
        }
    }

    @Test("A task that is too damaged to be deleted stays as it is, and the others are deleted")
    func damaged() async throws {
        let folder = try GatewayFolder()
        let ids = try await finished(3, in: folder)
        let fixture = try DispatcherFixture(folder: folder)
        try await fixture.open {
            fixture.store.intervene { operation async throws(TaskStoreError) in
                switch operation {
                case .task(ids[1]), .delete(ids[1]): throw TaskStoreError(.corrupt, "The task is damaged")
                default: break
                }
            }
            let outcome = await work(.delete, on: ids, fixture, pageSize: 1).run()
            fixture.store.intervene(nil)
            #expect(outcome.error == nil)
            #expect(outcome.matched == 3)
            #expect(outcome.changed == 2)
            let left = try await fixture.store.identifiers(TaskQuery())
            #expect(left == [ids[1]])
        }
    }

    @Test("The work ends between two pages when its caller would not be admitted any more")
    func goneCaller() async throws {
        let folder = try GatewayFolder()
        let ids = try await finished(4, in: folder)
        let fixture = try DispatcherFixture(folder: folder)
        try await fixture.open {
            let pages = Mutex(0)
            let services = TaskServices(
                context: fixture.context, dispatcher: fixture.dispatcher, keysInUse: IdempotencyKeysInUse(),
                bulkRequests: BulkRequests(), keyLifetime: .seconds(3600), maxDepth: 64
            ) { _ in
                pages.withLock { pages in
                    pages += 1
                    return pages < 2
                }
            }
            let work = BulkWork(
                service: services.service(for: .anonymous), call: BulkWork.Call(.delete, on: .ids(ids)), pageSize: 2)
            let outcome = await work.run()
            #expect(outcome.error == .callerIsGone)
            #expect(outcome.matched == 2)
            #expect(outcome.changed == 2)
            let left = try await fixture.store.identifiers(TaskQuery())
            #expect(Set(left) == Set(ids.suffix(2)))
        }
    }

    @Test("A task whose ordering key cannot be read ends the retry: without its key it could overtake others")
    func unreadOrderingKey() async throws {
        let folder = try GatewayFolder()
        let ids = try await finished(2, in: folder)
        let fixture = try DispatcherFixture(folder: folder)
        try await fixture.open {
            let failures = EventLog<Void>()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .task(let id) = operation, id == ids[1], failures.events.isEmpty else { return }
                failures.append()
                throw TaskStoreError(.inputOutput, "The disk has failed")
            }
            let outcome = await work(on: ids, fixture, pageSize: 2).run()
            fixture.store.intervene(nil)
            let new = try await retries(fixture)
            #expect(new.isEmpty)
            #expect(outcome.error?.code == .inputOutput)
            #expect(outcome.changed == 0)
        }
    }
}
