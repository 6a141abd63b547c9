import ErrandDownloads
package import ErrandTaskStore
import ErrandTime

/// The use cases of tasks, for one caller.
///
/// A task of a session that the caller must not see looks like a missing task. This is checked here: a command gets a
/// record that ``task(_:)`` has returned. The session of a task never changes, so the check stays valid.
///
/// Created for each request.
package struct TaskService: Sendable {
    /// The parts shared with the services of other callers.
    package let services: TaskServices
    /// The caller.
    package let caller: Caller

    var context: TaskContext { services.context }
    var dispatcher: Dispatcher { services.dispatcher }
    /// True if the caller may still do the work of a request that was admitted before.
    var isStillAdmitted: Bool { services.isStillAdmitted(caller) }

    // MARK: Visibility

    /// Returns the task if the caller may see it.
    private func visible(_ record: TaskRecord?) -> TaskRecord? {
        guard let record, caller.sees(session: record.session) else { return nil }
        return record
    }

    /// Returns true if the caller may see an unreadable task; with an unknown session only if it may see all sessions.
    func sees(unreadable error: TaskStoreError) -> Bool {
        error.session.map { caller.sees(session: $0) } ?? (caller.sessions == nil)
    }

    /// Returns an outcome that does not reveal the task of an idempotency key if the caller must not see it.
    ///
    /// The owner of the key may have lost access to the session since.
    func visible(_ outcome: TaskCreationOutcome) -> TaskCreationOutcome {
        let session: String
        switch outcome {
        case .replayed(let record): session = record.session
        case .replayedRemoved(let task): session = task.session
        case .created, .refused: return outcome
        }
        return caller.sees(session: session) ? outcome : .refused(.keyOfHiddenTask)
    }

    /// Returns an outcome that does not reveal the task of an idempotency key if the caller must not see it, or an error
    /// of reading it.
    func visible(_ outcome: TaskIntake.Outcome) -> TaskIntake.Outcome {
        switch outcome {
        case .success(let outcome): .success(visible(outcome))
        case .failure(let error) where error.session != nil && !sees(unreadable: error):
            .success(.refused(.keyOfHiddenTask))
        case .failure: outcome
        }
    }

    /// Returns the query, limited to the sessions that the caller may see.
    private func visible(_ query: TaskQuery) -> TaskQuery {
        var query = query
        query.sessions = caller.narrowing(query.sessions)
        return query
    }

    /// Returns the query, limited to the tasks that have its hold at present.
    ///
    /// Called once for a request: a reason such as `rate` comes and goes between two pages.
    package func narrowedToHold(_ query: TaskQuery) async throws(TaskStoreError) -> TaskQuery {
        try await dispatcher.narrowedToHold(visible(query))
    }

    // MARK: One task

    /// Returns a task in memory; `nil` if it is not there, or the caller must not see it.
    package func recent(_ id: TaskID) -> TaskRecord? {
        visible(context.recent.record(id))
    }

    /// Returns a task; `nil` if it does not exist, or the caller must not see it.
    package func task(_ id: TaskID) async throws(TaskStoreError) -> TaskRecord? {
        do throws(TaskStoreError) {
            return visible(try await context.task(id))
        } catch {
            try rethrow(error)
            return nil
        }
    }

    /// Returns true if the document of a task shows details, which must be read first.
    package func showsDetails(_ record: TaskRecord, _ members: TaskMembers) -> Bool {
        showsDelivery(record, members) || showsResume(record, members)
    }

    private func showsDelivery(_ record: TaskRecord, _ members: TaskMembers) -> Bool {
        record.specification.callback != nil && record.state.isTerminal && members.contains(.callback)
    }

    private func showsResume(_ record: TaskRecord, _ members: TaskMembers) -> Bool {
        members.contains(.resume) && record.mayBeResumed
    }

    /// Returns the details of a task that the document shows.
    ///
    /// A delivery that cannot be read is left out: it must not hide its task.
    package func details(of record: TaskRecord, _ members: TaskMembers) async throws(TaskStoreError) -> TaskDetails {
        var details = TaskDetails()
        if showsDelivery(record, members) {
            do throws(TaskStoreError) {
                details.delivery = try await context.store.lastChild(of: record.id, kind: .callback)
            } catch {
                guard error.isOfOneTask else { throw error }
                context.log.deliveryIsUnreadable(of: record.id, error)
            }
        }
        if showsResume(record, members) {
            let folder = context.storage.partialFiles(of: record)
            details.resumableBytes = await folder?.resumableBytes(of: record.id.description) ?? 0
        }
        return details
    }

    /// Returns a task as it is stored; `nil` if it does not exist, or the caller must not see it.
    ///
    /// The task in memory may be older than events that a client has received.
    package func stored(_ id: TaskID) async throws(TaskStoreError) -> TaskRecord? {
        do throws(TaskStoreError) {
            return visible(try await context.store.task(id))
        } catch {
            try rethrow(error)
            return nil
        }
    }

    /// Throws an error of reading a task, unless it is about a task that the caller must not see.
    private func rethrow(_ error: TaskStoreError) throws(TaskStoreError) {
        guard error.session != nil, !sees(unreadable: error) else { throw error }
    }

    /// Returns a task that can be removed, also one that cannot be read; `nil` if it does not exist, or the caller must
    /// not see it.
    package func removable(_ id: TaskID) async throws(TaskStoreError) -> RemovableTask? {
        do throws(TaskStoreError) {
            guard let record = visible(try await context.task(id)) else { return nil }
            return RemovableTask(record)
        } catch {
            if error.isOfOneTask, sees(unreadable: error) {
                return RemovableTask(unreadable: id, session: error.session)
            }
            try rethrow(error)
            return nil
        }
    }

    /// Waits until a task meets a condition, or `timeout` has passed.
    ///
    /// - Returns: The task after the wait; `nil` if it does not exist any more.
    package func wait(
        for record: TaskRecord, until condition: TaskWatchers.Condition, timeout: Duration
    ) async throws(TaskStoreError) -> TaskRecord? {
        try await context.wait(for: record, until: condition, timeout: timeout)
    }

    // MARK: Lists

    /// Reads a page of tasks; those that the caller must not see are omitted.
    ///
    /// - Parameters:
    ///   - isBegun: True if the response or the work of the request has begun. It then waits for its turn instead of
    ///     being refused while too many lists are being read.
    ///   - show: Returns what the caller keeps of the page; called on a thread of the store.
    package func page<Shown: Sendable>(
        _ query: TaskQuery, isBegun: Bool, show: @escaping @Sendable (TaskPage) -> Shown
    ) async throws(TaskStoreError) -> Shown {
        try await context.store.tasks(visible(query), for: isBegun ? .begunRequests : .clients, show: show)
    }

    /// Counts the tasks that match, by state; those that the caller must not see are omitted.
    package func counts(_ query: TaskQuery) async throws(TaskStoreError) -> [TaskState: Int] {
        let query = visible(query)
        let counts = try await context.store.counts(matching: dispatcher.narrowedToHold(query))
        return Dictionary(uniqueKeysWithValues: query.admittedStates.map { ($0, counts[$0] ?? 0) })
    }

    /// Reads a page of identifiers of tasks for a bulk call, which is never refused; those that the caller must not see
    /// are omitted.
    func identifiers(_ query: TaskQuery) async throws(TaskStoreError) -> [TaskID] {
        try await context.store.identifiers(visible(query), for: .begunRequests)
    }
}

/// A task that its caller may remove, even if it cannot be read.
package struct RemovableTask: Sendable {
    /// The identifier.
    package let id: TaskID
    /// The session; `nil` if it is unknown, as the task cannot be read.
    package let session: String?
    /// The task as it was read; `nil` if it cannot be read.
    let record: TaskRecord?

    init(_ record: TaskRecord) {
        id = record.id
        session = record.session
        self.record = record
    }

    init(unreadable id: TaskID, session: String?) {
        self.id = id
        self.session = session
        record = nil
    }
}
