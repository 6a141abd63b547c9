import ErrandLocking
package import ErrandTaskStore
package import ErrandTime

/// A store that wraps another one, and lets a test delay each operation or make it fail.
package final class FlakyTaskStore: TaskStore {
    /// An operation on the store.
    package enum Operation: Sendable {
        case insert(TaskRecord)
        case update(TaskRecord)
        /// A change is stored, and the caller does not know it yet.
        ///
        /// It can be delayed only: an error of the intervention has no effect.
        case updated(TaskRecord)
        case delete(TaskID)
        case task(TaskID)
        case lastChild
        case tasks(StoreReader)
        case identifiers(StoreReader)
        case queued
        case readyTimes
        case due(limit: Int)
        case overdue(limit: Int)
        case replay
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
        case countsMatching
        case sessionControlStates
        case setSessionControlState(SessionControlState)
        case upstreamHolds
        case setUpstreamHold(UpstreamHold)
        case clock
        case setClock(StoredClock)
        case cookies
        case updateCookies([StoredCookieChange], session: String)
        case checkWritable
    }

    /// A closure that runs before an operation.
    ///
    /// If it throws, the operation fails without being performed.
    package typealias Intervention = @Sendable (Operation) async throws(TaskStoreError) -> Void

    /// The intervention.
    ///
    /// A closure stored directly in a generic type would be wrapped again at each access.
    private struct Hand {
        let intervene: Intervention
    }

    private let store: any TaskStore
    private let intervention = Mutex<Hand?>(nil)

    /// Wraps a store.
    ///
    /// Without an intervention all operations are passed on.
    package init(_ store: any TaskStore) {
        self.store = store
    }

    /// Sets the intervention that runs before each operation; `nil` removes it.
    package func intervene(_ intervention: Intervention?) {
        self.intervention.withLock { $0 = intervention.map { Hand(intervene: $0) } }
    }

    private func begin(_ operation: Operation) async throws(TaskStoreError) {
        try await intervention.withLock { $0 }?.intervene(operation)
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
            failures[index].map { .failure($0) } ?? results.next() ?? .failure(.missingResult)
        }
    }

    package func update(_ update: TaskUpdate) async throws(TaskStoreError) -> UpdateOutcome {
        try await begin(.update(update.record))
        let outcome = try await store.update(update)
        guard case .stored = outcome else { return outcome }
        // It is too late to fail.
        try? await begin(.updated(update.record))
        return outcome
    }

    package func delete(
        _ id: TaskID, at now: Timestamp, because reason: DeletionReason
    ) async throws(TaskStoreError) -> Deletion? {
        try await begin(.delete(id))
        return try await store.delete(id, at: now, because: reason)
    }

    package func task(_ id: TaskID) async throws(TaskStoreError) -> TaskRecord? {
        try await begin(.task(id))
        return try await store.task(id)
    }

    package func lastChild(of parent: TaskID, kind: TaskKind) async throws(TaskStoreError) -> TaskRecord? {
        try await begin(.lastChild)
        return try await store.lastChild(of: parent, kind: kind)
    }

    package func tasks<Shown: Sendable>(
        _ query: TaskQuery, for reader: StoreReader, show: @escaping @Sendable (TaskPage) -> Shown
    ) async throws(TaskStoreError) -> Shown {
        try await begin(.tasks(reader))
        return try await store.tasks(query, for: reader, show: show)
    }

    package func identifiers(
        _ query: TaskQuery, for reader: StoreReader
    ) async throws(TaskStoreError) -> [TaskID] {
        try await begin(.identifiers(reader))
        return try await store.identifiers(query, for: reader)
    }

    package func due(
        at now: Timestamp, after last: TaskMoment?, limit: Int
    ) async throws(TaskStoreError) -> [TaskMoment] {
        try await begin(.due(limit: limit))
        return try await store.due(at: now, after: last, limit: limit)
    }

    package func overdue(
        at now: Timestamp, after last: TaskMoment?, limit: Int
    ) async throws(TaskStoreError) -> [TaskMoment] {
        try await begin(.overdue(limit: limit))
        return try await store.overdue(at: now, after: last, limit: limit)
    }

    package func replay(
        of claim: IdempotencyClaim, at now: Timestamp
    ) async throws(TaskStoreError) -> Insertion? {
        try await begin(.replay)
        return try await store.replay(of: claim, at: now)
    }

    package func finished(
        beyond kept: Int, after last: TaskMoment?, limit: Int
    ) async throws(TaskStoreError) -> [TaskMoment] {
        try await begin(.finished)
        return try await store.finished(beyond: kept, after: last, limit: limit)
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

    package func readyTimes(of ids: [TaskID]) async throws(TaskStoreError) -> [TaskID: Timestamp] {
        try await begin(.readyTimes)
        return try await store.readyTimes(of: ids)
    }

    package func interrupted(after id: TaskID?, limit: Int) async throws(TaskStoreError) -> [TaskID] {
        try await begin(.interrupted)
        return try await store.interrupted(after: id, limit: limit)
    }

    package func pending(
        session: String, after id: TaskID?, limit: Int
    ) async throws(TaskStoreError) -> [TaskID] {
        try await begin(.pending)
        return try await store.pending(session: session, after: id, limit: limit)
    }

    package func expired(
        at now: Timestamp, after last: TaskMoment?, limit: Int
    ) async throws(TaskStoreError) -> [TaskMoment] {
        try await begin(.expired)
        return try await store.expired(at: now, after: last, limit: limit)
    }

    package var work: StoreWork { store.work }

    package func counts() async throws(TaskStoreError) -> TaskCounts {
        try await begin(.counts)
        return try await store.counts()
    }

    package func counts(matching query: TaskQuery) async throws(TaskStoreError) -> [TaskState: Int] {
        try await begin(.countsMatching)
        return try await store.counts(matching: query)
    }

    package func sessionControlStates() async throws(TaskStoreError) -> [SessionControlState] {
        try await begin(.sessionControlStates)
        return try await store.sessionControlStates()
    }

    package func setSessionControlState(_ controlState: SessionControlState) async throws(TaskStoreError) {
        try await begin(.setSessionControlState(controlState))
        try await store.setSessionControlState(controlState)
    }

    package func upstreamHolds() async throws(TaskStoreError) -> [UpstreamHold] {
        try await begin(.upstreamHolds)
        return try await store.upstreamHolds()
    }

    package func setUpstreamHold(_ hold: UpstreamHold) async throws(TaskStoreError) {
        try await begin(.setUpstreamHold(hold))
        try await store.setUpstreamHold(hold)
    }

    package func clock() async throws(TaskStoreError) -> StoredClock {
        try await begin(.clock)
        return try await store.clock()
    }

    package func setClock(_ clock: StoredClock) async throws(TaskStoreError) {
        try await begin(.setClock(clock))
        try await store.setClock(clock)
    }

    package func cookies(session: String) async throws(TaskStoreError) -> [StoredCookie] {
        try await begin(.cookies)
        return try await store.cookies(session: session)
    }

    package func sessionsWithCookies() async throws(TaskStoreError) -> [String] {
        try await begin(.cookies)
        return try await store.sessionsWithCookies()
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
