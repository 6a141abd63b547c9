import Locking
package import TaskStore

/// A store in front of another one, in which a test has its hand: each operation can be made to fail, or to wait.
package final class FlakyTaskStore: TaskStore {
    /// What is about to be done to the store.
    package enum Operation: Sendable {
        case insert(TaskRecord)
        case update(TaskRecord)
        case delete(TaskID)
        case task(TaskID)
        case tasks
        case identifiers
        case queued
        case due
        case overdue
        case answer
        case nextAlarm
        case interrupted
        case pending
        case expired
        case finished
        case forget
        case events
        case eventBounds
        case schedules
        case put(ScheduleRecord)
        case removeSchedule(String)
        case counts
        case sessionMarks
        case setSessionMark(SessionMark)
        case cookies
        case updateCookies([StoredCookieChange], session: String)
        case checkWritable
    }

    /// What a test does before an operation: throwing makes it fail without having been done.
    package typealias Intervention = @Sendable (Operation) async throws(TaskStoreError) -> Void

    private let store: any TaskStore
    private let intervention = Mutex<Intervention?>(nil)

    /// Puts itself in front of a store; without an intervention it only passes on.
    package init(_ store: any TaskStore) {
        self.store = store
    }

    /// Has each operation from now on begin with this; `nil` ends it.
    package func intervene(_ intervention: Intervention?) {
        self.intervention.withLock { $0 = intervention }
    }

    private func begin(_ operation: Operation) async throws(TaskStoreError) {
        try await intervention.withLock { $0 }?(operation)
    }

    package func insert(_ tasks: [NewTask]) async -> [Result<Insertion, TaskStoreError>] {
        var admitted: [NewTask] = []
        var failures: [Int: TaskStoreError] = [:]
        for (index, task) in tasks.enumerated() {
            do throws(TaskStoreError) {
                try await begin(.insert(task.record))
                admitted.append(task)
            } catch {
                failures[index] = error
            }
        }
        var results = await store.insert(admitted).makeIterator()
        return tasks.indices.map { index in
            failures[index].map { .failure($0) } ?? results.next() ?? .failure(.silent)
        }
    }

    package func update(_ update: TaskUpdate) async throws(TaskStoreError) -> UpdateOutcome {
        try await begin(.update(update.record))
        return try await store.update(update)
    }

    package func delete(_ id: TaskID, at now: Timestamp) async throws(TaskStoreError) -> Deletion? {
        try await begin(.delete(id))
        return try await store.delete(id, at: now)
    }

    package func task(_ id: TaskID) async throws(TaskStoreError) -> TaskRecord? {
        try await begin(.task(id))
        return try await store.task(id)
    }

    package func tasks(_ query: TaskQuery) async throws(TaskStoreError) -> TaskPage {
        try await begin(.tasks)
        return try await store.tasks(query)
    }

    package func identifiers(_ query: TaskQuery) async throws(TaskStoreError) -> [TaskID] {
        try await begin(.identifiers)
        return try await store.identifiers(query)
    }

    package func due(at now: Timestamp, limit: Int) async throws(TaskStoreError) -> [TaskID] {
        try await begin(.due)
        return try await store.due(at: now, limit: limit)
    }

    package func overdue(at now: Timestamp, limit: Int) async throws(TaskStoreError) -> [TaskID] {
        try await begin(.overdue)
        return try await store.overdue(at: now, limit: limit)
    }

    package func answer(
        to claim: IdempotencyClaim, at now: Timestamp
    ) async throws(TaskStoreError) -> Insertion? {
        try await begin(.answer)
        return try await store.answer(to: claim, at: now)
    }

    package func nextAlarm() async throws(TaskStoreError) -> Timestamp? {
        try await begin(.nextAlarm)
        return try await store.nextAlarm()
    }

    package func finished(beyond kept: Int, limit: Int) async throws(TaskStoreError) -> [TaskID] {
        try await begin(.finished)
        return try await store.finished(beyond: kept, limit: limit)
    }

    package func forget(
        keysExpiredAt now: Timestamp, deletionsBefore moment: Timestamp, limit: Int
    ) async throws(TaskStoreError) -> Bool {
        try await begin(.forget)
        return try await store.forget(keysExpiredAt: now, deletionsBefore: moment, limit: limit)
    }

    package func events(
        after id: Int64, task: TaskID?, limit: Int
    ) async throws(TaskStoreError) -> [StoredEvent] {
        try await begin(.events)
        return try await store.events(after: id, task: task, limit: limit)
    }

    package func eventBounds() async throws(TaskStoreError) -> EventBounds {
        try await begin(.eventBounds)
        return try await store.eventBounds()
    }

    package func observeEvents(_ observer: @escaping @Sendable ([StoredEvent]) -> Void) {
        store.observeEvents(observer)
    }

    package func schedules() async throws(TaskStoreError) -> [ScheduleRecord] {
        try await begin(.schedules)
        return try await store.schedules()
    }

    package func put(
        _ schedule: ScheduleRecord, expecting expected: Int64?, inserting task: TaskRecord?
    ) async throws(TaskStoreError) -> Bool {
        try await begin(.put(schedule))
        return try await store.put(schedule, expecting: expected, inserting: task)
    }

    package func removeSchedule(_ name: String) async throws(TaskStoreError) -> Bool {
        try await begin(.removeSchedule(name))
        return try await store.removeSchedule(name)
    }

    package func queued(
        session: String, after position: QueuePosition?, limit: Int
    ) async throws(TaskStoreError) -> [QueuePosition] {
        try await begin(.queued)
        return try await store.queued(session: session, after: position, limit: limit)
    }

    package func interrupted(after id: TaskID?, limit: Int) async throws(TaskStoreError) -> [TaskRecord] {
        try await begin(.interrupted)
        return try await store.interrupted(after: id, limit: limit)
    }

    package func pending(
        session: String, after id: TaskID?, limit: Int
    ) async throws(TaskStoreError) -> [TaskID] {
        try await begin(.pending)
        return try await store.pending(session: session, after: id, limit: limit)
    }

    package func expired(at now: Timestamp, limit: Int) async throws(TaskStoreError) -> [TaskID] {
        try await begin(.expired)
        return try await store.expired(at: now, limit: limit)
    }

    package func counts() async throws(TaskStoreError) -> TaskCounts {
        try await begin(.counts)
        return try await store.counts()
    }

    package func sessionMarks() async throws(TaskStoreError) -> [SessionMark] {
        try await begin(.sessionMarks)
        return try await store.sessionMarks()
    }

    package func setSessionMark(_ mark: SessionMark) async throws(TaskStoreError) {
        try await begin(.setSessionMark(mark))
        try await store.setSessionMark(mark)
    }

    package func cookies(session: String) async throws(TaskStoreError) -> [StoredCookie] {
        try await begin(.cookies)
        return try await store.cookies(session: session)
    }

    package func update(cookies changes: [StoredCookieChange], session: String) async throws(TaskStoreError) {
        try await begin(.updateCookies(changes, session: session))
        try await store.update(cookies: changes, session: session)
    }

    package func checkWritable() async throws(TaskStoreError) {
        try await begin(.checkWritable)
        try await store.checkWritable()
    }

    package func close() async {
        await store.close()
    }
}
