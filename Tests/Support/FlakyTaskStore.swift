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
        case queued
        case interrupted
        case pending
        case expired
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

    package func insert(_ record: TaskRecord) async throws(TaskStoreError) {
        try await begin(.insert(record))
        try await store.insert(record)
    }

    package func update(_ record: TaskRecord, expecting expected: Int64) async throws(TaskStoreError) -> Bool {
        try await begin(.update(record))
        return try await store.update(record, expecting: expected)
    }

    package func delete(_ id: TaskID) async throws(TaskStoreError) -> Bool {
        try await begin(.delete(id))
        return try await store.delete(id)
    }

    package func task(_ id: TaskID) async throws(TaskStoreError) -> TaskRecord? {
        try await begin(.task(id))
        return try await store.task(id)
    }

    package func tasks(_ query: TaskQuery) async throws(TaskStoreError) -> TaskPage {
        try await begin(.tasks)
        return try await store.tasks(query)
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
