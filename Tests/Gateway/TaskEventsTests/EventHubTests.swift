import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandTaskEvents

@Suite("EventHub", .timeLimit(.hang))
struct EventHubTests {
    private let clock = ManualClock()
    private let hub: EventHub

    init() {
        hub = EventHub(capacity: 8, timer: SharedTimer(clock))
    }

    private static let all = EventInterest.matching(EventFilter(TaskQuery()))

    private static func session(_ name: String) -> EventInterest {
        var query = TaskQuery()
        query.sessions = [name]
        return .matching(EventFilter(query))
    }

    /// Starts a wait, and returns once the hub has the watcher.
    ///
    /// The hub has no event for that. No clock decides: an event that is published afterwards wakes the watcher.
    private func wait(for interest: EventInterest, after cursor: Int64 = 0) async throws -> Task<EventHub.Wake, Never> {
        let waiting = hub.waiterCount
        let task = Task { await hub.wait(for: interest, after: cursor, patience: .seconds(15)) }
        try await until { hub.waiterCount > waiting }
        return task
    }

    private func after(_ wake: EventHub.Wake) -> Int64? {
        if case .events(let after) = wake { after } else { nil }
    }

    @Test("wakes the watchers that an event matches: by task or by filter")
    func concerned() async throws {
        let first = try await wait(for: .task(.sample(1)))
        let second = try await wait(for: .task(.sample(2)))
        let everything = try await wait(for: Self.all)
        let elsewhere = try await wait(for: Self.session("other"))
        hub.publish([.sample(1, task: 1)])
        #expect(after(await first.value) == 0)
        #expect(after(await everything.value) == 0)
        #expect(hub.waiterCount == 2)
        hub.publish([.sample(2, task: 2), .sample(3, session: "other")])
        // They have missed no earlier event, and need not read any.
        #expect(after(await second.value) == 1)
        #expect(after(await elsewhere.value) == 1)
    }

    @Test("returns at once for a watcher that has not seen the newest event")
    func behind() async {
        hub.publish([.sample(1), .sample(2)])
        #expect(after(await hub.wait(for: .task(.sample(9)), after: 1, patience: .seconds(3600))) == 1)
        #expect(hub.events(after: 1, limit: 10) == .events([.sample(2)]))
        #expect(hub.newest == 2)
    }

    @Test("wakes no watcher by an event that it read from the store before it was published")
    func ahead() async throws {
        let ahead = try await wait(for: .task(.sample(1)), after: 5)
        hub.publish([.sample(4), .sample(5)])
        hub.publish([.sample(6)])
        #expect(after(await ahead.value).map { $0 >= 5 } == true)
    }

    @Test("advances the cursor on timeout, so that idle watchers do not fall behind")
    func silence() async throws {
        let waiting = try await wait(for: .task(.sample(9)))
        // Its timeout has begun: later waits of the same length have a sleep in common with it.
        _ = await clock.sleeps.first(1)
        for id in Int64(1)...20 {
            let other = try await wait(for: Self.all, after: id - 1)
            hub.publish([.sample(id)])
            _ = await other.value
        }
        clock.advance(by: .seconds(15))
        guard case .silence(let after) = await waiting.value else {
            Issue.record("it was not silence")
            return
        }
        #expect(hub.events(after: after, limit: 10) != .gone)
    }

    @Test("reports to a watcher too far behind that events are gone")
    func gone() {
        hub.publish((1...20).map { .sample($0) })
        #expect(hub.events(after: 3, limit: 10) == .gone)
        #expect(hub.events(after: 12, limit: 2) == .events([.sample(13), .sample(14)]))
    }

    @Test("begins after the newest event of the store")
    func beginning() async throws {
        hub.begin(after: 100)
        #expect(hub.newest == 100)
        #expect(hub.events(after: 99, limit: 1) == .gone)
        let waiting = try await wait(for: Self.all, after: 100)
        hub.publish([.sample(101)])
        #expect(after(await waiting.value) == 100)
    }

    @Test("sends the progress of a task to its watchers")
    func progress() async throws {
        let one = try await wait(for: .task(.sample(1)))
        let other = try await wait(for: .task(.sample(2)))
        let all = try await wait(for: Self.session("github"))
        let records = [TaskRecord.sample(1, state: .running), TaskRecord.sample(3, session: "x", state: .running)]
        #expect(hub.isWatched)
        #expect(hub.watched(of: records).map(\.id) == [.sample(1)])
        hub.tell(records.map { ProgressNote(record: $0, bytes: Array("\($0.session)".utf8)) })
        for watcher in [one, all] {
            guard case .progress(let notes, after: 0) = await watcher.value else {
                Issue.record("it was not progress")
                continue
            }
            #expect(notes.map(\.bytes) == [Array("github".utf8)])
        }
        #expect(hub.waiterCount == 1)
        other.cancel()
        _ = await other.value
        #expect(!hub.isWatched)
    }

    @Test("ends the wait of a canceled watcher, before or during the wait")
    func canceled() async throws {
        let waiting = try await wait(for: Self.all)
        waiting.cancel()
        guard case .over = await waiting.value else {
            Issue.record("it goes on")
            return
        }
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await hub.wait(for: Self.all, after: 0, patience: .seconds(15))
        }
        guard case .over = await early.value else {
            Issue.record("it has begun")
            return
        }
    }

    @Test("on close, delivers the remaining events to all watchers, and then the end")
    func close() async throws {
        let waiting = try await wait(for: .task(.sample(1)))
        hub.close()
        #expect(after(await waiting.value) == 0)
        guard case .over = await hub.wait(for: .task(.sample(1)), after: 0, patience: .seconds(15)) else {
            Issue.record("it goes on")
            return
        }
        hub.publish([.sample(1)])
        #expect(after(await hub.wait(for: Self.all, after: 0, patience: .seconds(15))) == 0)
    }

    @Test("loses no event for thousands of watchers that come and go during publication")
    func many() async {
        let hub = EventHub(capacity: 100_000, timer: SharedTimer(clock))
        await withTaskGroup(of: [Int64].self) { group in
            for watcher in 0..<1000 {
                group.addTask {
                    let task = TaskID.sample(watcher % 10)
                    var seen: [Int64] = []
                    var cursor: Int64 = 0
                    while seen.count < 20 {
                        if case .events(let events) = hub.events(after: cursor, limit: 7), !events.isEmpty {
                            cursor = events.last?.id ?? cursor
                            seen += events.filter { $0.task == task }.map(\.id)
                        } else if case .events(let after) = await hub.wait(
                            for: .task(task), after: cursor, patience: .seconds(3600))
                        {
                            cursor = max(cursor, after)
                        }
                    }
                    return seen
                }
            }
            group.addTask {
                for id in 0..<200 {
                    hub.publish([.sample(Int64(id + 1), task: id % 10)])
                    await Task.yield()
                }
                return (0..<20).map { Int64($0) }
            }
            for await seen in group { #expect(seen == seen.sorted() && Set(seen).count == 20) }
        }
    }
}
