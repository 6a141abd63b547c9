import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("TaskService", .timeLimit(.hang))
struct TaskServiceTests {
    private struct Unexpected: Error {}

    private func services(_ fixture: DispatcherFixture) -> TaskServices {
        TaskServices(
            context: fixture.context, dispatcher: fixture.dispatcher, keysInUse: IdempotencyKeysInUse(),
            bulkRequests: BulkRequests(), keyLifetime: .seconds(3600), maxDepth: 64)
    }

    /// Returns the services of two callers with the same token, before and after it lost the session `up`.
    private func callers(_ fixture: DispatcherFixture) -> (own: TaskService, other: TaskService) {
        let services = services(fixture)
        return (
            services.service(for: Caller(tokenName: "a", scopes: [], sessions: ["up"])),
            services.service(for: Caller(tokenName: "a", scopes: [], sessions: ["other"]))
        )
    }

    /// Returns the outcome of a bulk request that is not replayed.
    private func outcome(_ request: BulkRequests.Outcome) throws -> BulkWork.Outcome {
        guard case .done(let outcome, isReplayed: false) = request else { throw Unexpected() }
        return outcome
    }

    @Test("A task of a session that the caller must not see looks like a missing task")
    func hidden() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let task = try await fixture.create(suspended: true)
            let (own, other) = callers(fixture)
            #expect(own.recent(task.id) == task)
            #expect(try await own.task(task.id) == task)
            #expect(try await own.stored(task.id)?.id == task.id)
            #expect(try await own.removable(task.id)?.session == "up")
            let listed = try await own.page(TaskQuery(), isBegun: false) { $0.tasks.map(\.id) }
            #expect(listed == [task.id])
            #expect(other.recent(task.id) == nil)
            #expect(try await other.task(task.id) == nil)
            #expect(try await other.stored(task.id) == nil)
            #expect(try await other.removable(task.id) == nil)
            let others = try await other.page(TaskQuery(), isBegun: false, show: \.tasks)
            #expect(others.isEmpty)
        }
    }

    @Test("An unreadable task is an error, unless the caller must not see it; the caller can remove it")
    func unreadable() async throws {
        let before = try DispatcherFixture()
        let task = try await before.create(suspended: true)
        await before.store.close()
        // Another fixture, so that the task is not in memory.
        let fixture = try DispatcherFixture(folder: before.folder)
        try await fixture.open {
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .task = operation else { return }
                var error = TaskStoreError(.sealed, "The record is sealed with another key")
                error.session = "up"
                throw error
            }
            let (own, other) = callers(fixture)
            await #expect(throws: TaskStoreError.self) { _ = try await own.task(task.id) }
            await #expect(throws: TaskStoreError.self) { _ = try await own.stored(task.id) }
            #expect(try await other.task(task.id) == nil)
            #expect(try await other.stored(task.id) == nil)
            #expect(try await other.removable(task.id) == nil)
            let removable = try #require(try await own.removable(task.id))
            #expect(removable.session == "up")
            #expect(try await own.delete(removable))
            fixture.store.intervene(nil)
            #expect(try await fixture.stored(task) == nil)
        }
    }

    @Test("A key does not reveal a task that the caller must not see any more")
    func hiddenKey() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let (own, other) = callers(fixture)
            let document = Array(#"{"session":"up","start":"suspended"}"#.utf8)
            let key = try #require(IdempotencyKey("k"))
            let accepted = try await own.decoder.decode(document, as: .single, key: key)
            guard case .created(let task) = try await own.create(accepted) else { throw Unexpected() }
            guard case .replayed(let again) = try await own.create(accepted) else { throw Unexpected() }
            #expect(again.id == task.id)
            guard case .replayed(let earlier) = try await own.earlier(document, key: key) else { throw Unexpected() }
            #expect(earlier.id == task.id)
            guard case .refused(.keyOfHiddenTask) = try await other.create(accepted) else { throw Unexpected() }
            guard case .refused(.keyOfHiddenTask) = try await other.earlier(document, key: key) else {
                throw Unexpected()
            }
        }
    }

    @Test("A task that has not ended is not retried, nor one that the configuration does not allow any more")
    func retry() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let (own, other) = callers(fixture)
            let task = try await fixture.create(suspended: true)
            guard case .refused(.unfinished(let unfinished)) = try await own.retry(task) else { throw Unexpected() }
            #expect(unfinished == task)
            guard case .done(let canceled, changed: true) = try await own.cancel(task) else { throw Unexpected() }
            guard case .refused(.rejected(.forbidden)) = try await other.retry(canceled) else { throw Unexpected() }
            guard case .created(let retry) = try await own.retry(canceled) else { throw Unexpected() }
            #expect(retry.retryOf == task.id)
            guard case .refused(.alreadyRetried) = try await own.retry(canceled, unlessRetried: true) else {
                throw Unexpected()
            }
            try await fixture.expect(.succeeded, of: retry)
        }
    }

    private static let suspended = Array(#"{"start":"suspended"}"#.utf8)

    /// Creates a task and cancels it.
    private func canceled(_ fixture: DispatcherFixture, by service: TaskService) async throws -> TaskRecord {
        let task = try await fixture.create(suspended: true)
        guard case .done(let canceled, changed: true) = try await service.cancel(task) else { throw Unexpected() }
        return canceled
    }

    @Test("A key that has repeated a task returns the new task, also after the deadline in the request has passed")
    func retryAfterDeadline() async throws {
        let time = ManualClock()
        let fixture = try DispatcherFixture(time: time)
        try await fixture.open {
            let (own, _) = callers(fixture)
            let task = try await canceled(fixture, by: own)
            let key = try #require(IdempotencyKey("k"))
            let deadline = DispatcherFixture.start.adding(.seconds(10))
            let request = Array(#"{"start":"suspended","deadline":"\#(deadline)"}"#.utf8)
            guard case .created(let first) = try await own.retry(task, overrides: request, key: key) else {
                throw Unexpected()
            }
            time.advance(by: .seconds(20))
            guard case .replayed(let again) = try await own.retry(task, overrides: request, key: key) else {
                throw Unexpected()
            }
            #expect(again.id == first.id)
            let other = try #require(IdempotencyKey("other"))
            guard case .refused(.rejected) = try await own.retry(task, overrides: request, key: other) else {
                throw Unexpected()
            }
        }
    }

    @Test("A key of a retry that a former version has stored is recognized, for the task that was repeated")
    func retryOfFormerVersion() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let (own, _) = callers(fixture)
            let task = try await canceled(fixture, by: own)
            let twin = try await canceled(fixture, by: own)
            let key = try #require(IdempotencyKey("k"))
            // The payload is the document of the new task, as if a client had created that.
            let document = try TaskRepeat.document(of: task, overrides: nil)
            let order = TaskIntake.Order(
                task: try await own.decoder.decode(document, as: .single, key: key),
                origin: AcceptedTask.Origin(retryOf: task.id))
            guard case .success(.created(let first)) = await own.services.intake.create(order, by: "a") else {
                throw Unexpected()
            }
            guard case .replayed(let again) = try await own.retry(task, key: key) else { throw Unexpected() }
            #expect(again.id == first.id)
            guard case .refused(.keyReused) = try await own.retry(twin, key: key) else { throw Unexpected() }
            guard case .refused(.keyReused) = try await own.retry(task, overrides: Self.suspended, key: key) else {
                throw Unexpected()
            }
        }
    }

    @Test("A retry wakes a caller that waits for a change of the original, which is not read if there is none")
    func retryWakes() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let (own, _) = callers(fixture)
            let task = try await canceled(fixture, by: own)
            let reads = EventLog<Void>()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .task(let id) = operation, id == task.id { reads.append() }
            }
            guard case .created = try await own.retry(task, overrides: Self.suspended) else { throw Unexpected() }
            #expect(reads.events.isEmpty)
            let inPlace = Signal<Void>()
            async let wait: Void = fixture.context.watchers.wait(
                for: task.id, until: .changed(from: task.revision), timeout: .unlimited
            ) {
                inPlace.send()
                return task
            }
            await inPlace.wait()
            guard case .created(let retry) = try await own.retry(task, overrides: Self.suspended) else {
                throw Unexpected()
            }
            try await wait
            #expect(try await own.task(task.id)?.retriedBy == retry.id)
            fixture.store.intervene(nil)
        }
    }

    @Test("A command on a task that was changed since it was read is applied to the current task")
    func staleRecord() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let (own, _) = callers(fixture)
            let task = try await fixture.create(suspended: true)
            var edit = TaskEdit()
            edit.labels = ["a": "1"]
            guard case .done(let edited, changed: true) = try await own.edit(task, edit, ifRevision: { _ in true })
            else { throw Unexpected() }
            #expect(edited.revision == 2)
            guard
                case .preconditionFailed(let current) = try await own.edit(
                    task, TaskEdit(priority: 9), ifRevision: { $0.revision == 1 })
            else { throw Unexpected() }
            #expect(current.revision == 2)
            guard case .done(let canceled, changed: true) = try await own.cancel(task) else { throw Unexpected() }
            #expect(canceled.labels == ["a": "1"])
            #expect(canceled.state == .canceled)
            guard case .done(let again, changed: false) = try await own.cancel(task) else { throw Unexpected() }
            #expect(again == canceled)
            #expect(try await own.delete(RemovableTask(task)))
            guard case .notFound = try await own.cancel(task) else { throw Unexpected() }
        }
    }

    @Test("An edit that was valid for the task as it was read, and is not for the current one, is refused")
    func staleEdit() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let (own, _) = callers(fixture)
            let task = try await fixture.create(suspended: true)
            let (deadline, start) = (fixture.now().adding(.seconds(60)), fixture.now().adding(.seconds(600)))
            let edits = try [#"{"deadline":"\#(deadline)"}"#, #"{"not_before":"\#(start)"}"#].map { patch in
                try own.edit(in: Array(patch.utf8), of: task)
            }
            guard case .done(let edited, changed: true) = try await own.edit(task, edits[0], ifRevision: { _ in true }),
                case .invalid(let current, let rejection) = try await own.edit(
                    task, edits[1], ifRevision: { _ in true })
            else { throw Unexpected() }
            #expect(current == edited)
            #expect(rejection.reason == "/not_before: the deadline must be after the earliest start, \(start)")
            #expect(try await fixture.stored(task) == edited)
        }
    }

    @Test("Bulk work counts the tasks that the caller sees, and those that it has changed itself")
    func bulk() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let (own, other) = callers(fixture)
            let task = try await fixture.create(suspended: true)
            let call = BulkWork.Call(.cancel, on: .ids([task.id, .sample(1)]))
            for (service, matched, changed) in [(other, 0, 0), (own, 1, 1), (own, 1, 0)] {
                let outcome = try outcome(await service.perform(call))
                #expect(outcome.matched == matched)
                #expect(outcome.changed == changed)
                #expect(outcome.error == nil)
            }
        }
    }

    @Test("Of two bulk requests that change the same tasks at once, only one counts each task as changed")
    func bulkAtOnce() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let (own, _) = callers(fixture)
            var ids: [TaskID] = []
            for _ in 0..<3 { ids.append(try await fixture.create(suspended: true).id) }
            let call = BulkWork.Call(.cancel, on: .ids(ids))
            let (reached, goesOn) = (EventLog<Void>(), Signal<Void>())
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .update = operation else { return }
                reached.append()
                await goesOn.wait()
            }
            async let first = own.perform(call)
            async let second = own.perform(call)
            defer { goesOn.send() }
            _ = await reached.first(ids.count)
            // The step of one request is being stored and that of the other waits: both have read the task before.
            for id in ids {
                try await until { fixture.dispatcher.waitingSteps(of: id) > 0 }
            }
            goesOn.send()
            let outcomes = [try outcome(await first), try outcome(await second)]
            #expect(outcomes.map(\.matched) == [3, 3])
            #expect(outcomes.map(\.changed).reduce(0, +) == 3)
            #expect(outcomes.allSatisfy { $0.error == nil })
        }
    }

    /// A bulk request for one unreadable task, and its outcome.
    struct UnreadableRow: Sendable {
        var action: BulkWork.Action
        /// The session in the error of the store; `nil` if it is unknown.
        var session: String?
        /// The sessions that the caller sees; `nil` for all.
        var visible: Set<String>?
        var matched: Int
        var changed: Int
    }

    static let unreadableRows = [
        // Visible: it can be deleted, nothing else.
        UnreadableRow(action: .delete, session: "up", visible: ["up"], matched: 1, changed: 1),
        UnreadableRow(action: .delete, session: nil, visible: nil, matched: 1, changed: 1),
        UnreadableRow(action: .cancel, session: "up", visible: ["up"], matched: 1, changed: 0),
        UnreadableRow(action: .retry, session: "up", visible: ["up"], matched: 1, changed: 0),
        UnreadableRow(action: .cancel, session: nil, visible: nil, matched: 1, changed: 0),
        // Hidden, because of its session or because its session is unknown.
        UnreadableRow(action: .delete, session: "up", visible: ["other"], matched: 0, changed: 0),
        UnreadableRow(action: .cancel, session: "up", visible: ["other"], matched: 0, changed: 0),
        UnreadableRow(action: .delete, session: nil, visible: ["up"], matched: 0, changed: 0),
        UnreadableRow(action: .cancel, session: nil, visible: ["up"], matched: 0, changed: 0),
    ]

    @Test("Bulk work deletes an unreadable task, and changes it in no other way", arguments: unreadableRows)
    func bulkUnreadable(_ row: UnreadableRow) async throws {
        let before = try DispatcherFixture()
        let task = try await before.create(suspended: true)
        await before.store.close()
        // Another fixture, so that the task is not in memory.
        let fixture = try DispatcherFixture(folder: before.folder)
        try await fixture.open {
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .task = operation else { return }
                var error = TaskStoreError(.sealed, "The record is sealed with another key")
                error.session = row.session
                throw error
            }
            let service = services(fixture).service(
                for: Caller(tokenName: "a", scopes: [], sessions: row.visible))
            let outcome = try outcome(await service.perform(BulkWork.Call(row.action, on: .ids([task.id]))))
            #expect(outcome.matched == row.matched)
            #expect(outcome.changed == row.changed)
            #expect(outcome.error == nil)
            fixture.store.intervene(nil)
            // Deleted, or as it was.
            #expect(try await fixture.stored(task)?.revision == (row.changed == 1 ? nil : task.revision))
        }
    }
}

extension TaskEdit {
    fileprivate init(priority: Int) {
        self.init()
        self.priority = priority
    }
}
