import Locking
import SessionCore
import TaskAdmission
package import TaskStore
import Transfer

/// What clients do to tasks that exist.
extension Dispatcher {
    /// What became of a request to cancel.
    package enum CancelAnswer: Sendable {
        /// The task is canceled, now or since before.
        case canceled(TaskRecord)
        /// It will be: this is stored, and its connection is being closed.
        case canceling(TaskRecord)
        /// It had succeeded or failed already.
        case tooLate(TaskRecord)
        /// There is no such task.
        case notFound
    }

    /// How long a client waits for the connection of a cancelled attempt to be closed before it is told `canceling`.
    static let cancelPatience = Duration.seconds(2)

    /// The task as it is stored; `nil` when there is none.
    package func task(_ id: TaskID) async throws(TaskStoreError) -> TaskRecord? {
        if let record = recent.record(id) { return record }
        return try await store.task(id)
    }

    /// What is known of a task beside what is stored.
    package func liveState(of record: TaskRecord) -> LiveTaskState {
        let (control, hold) = state.withLock { state in
            (state.live[record.id]?.attempt?.control, state.admission.hold(session: record.session, at: time.now))
        }
        guard record.state == .queued else { return LiveTaskState(progress: control?.progress) }
        return LiveTaskState(progress: control?.progress, hold: record.isBlocked ? .ordering : hold)
    }

    /// Waits until a task meets a condition, or `timeout` has passed.
    ///
    /// - Returns: The task as it is then; `nil` when there is none.
    package func wait(
        for record: TaskRecord, until condition: TaskWatchers.Condition, timeout: Duration
    ) async throws(TaskStoreError) -> TaskRecord? {
        if condition.isMet(by: record) { return record }
        await watchers.wait(for: record.id, until: condition, timeout: timeout) { [self] in
            // A store that cannot be read now is no reason to end the wait.
            try? await task(record.id)
        }
        return try await task(record.id)
    }

    /// Cancels a task: at once when it waits; when it runs, its connection is closed first.
    ///
    /// A task that is told `canceling` here never succeeds afterwards, not even after a crash.
    package func cancel(_ id: TaskID) async throws(TaskStoreError) -> CancelAnswer {
        switch try await ask(.cancel, of: id) {
        case .notFound:
            return .notFound
        case .refused(let record):
            return .tooLate(record)
        case .done(let record):
            guard !record.state.isTerminal else { return .canceled(record) }
            guard let current = try await wait(for: record, until: .done, timeout: Self.cancelPatience) else {
                return .notFound
            }
            return current.state.isTerminal ? .canceled(current) : .canceling(current)
        }
    }

    /// What became of a request to suspend or resume.
    package enum StepAnswer: Sendable {
        /// The task is so now, or was so already.
        case done(TaskRecord)
        /// It is where that cannot be done.
        case refused(TaskRecord)
        /// There is no such task.
        case notFound
    }

    /// Has a task stand still: one that waits is not started, the transfer of one that runs stops reading and writing.
    ///
    /// A running one keeps its place and its connection for the session's `timeouts.suspended_keep`.
    package func suspend(_ id: TaskID) async throws(TaskStoreError) -> StepAnswer {
        try await ask(.suspend, of: id)
    }

    /// Lets a suspended task go on: its attempt where it stood still, otherwise with another one.
    package func resume(_ id: TaskID) async throws(TaskStoreError) -> StepAnswer {
        try await ask(.resume, of: id)
    }

    /// Has a scheduled task, or one between two attempts, start next; limits still hold.
    package func runNow(_ id: TaskID) async throws(TaskStoreError) -> StepAnswer {
        try await ask(.runNow, of: id)
    }

    private func ask(_ step: TaskStep, of id: TaskID) async throws(TaskStoreError) -> StepAnswer {
        guard let record = try await task(id) else { return .notFound }
        switch await reply(to: step, of: record) {
        case .changed(let record), .unchanged(let record): return .done(record)
        case .refused(let record), .preconditionFailed(let record): return .refused(record)
        case .gone: return .notFound
        case .failed(let error): throw error
        }
    }

    /// What became of a change of a task.
    package enum EditAnswer: Sendable {
        /// The task is so now, or was so already.
        case done(TaskRecord)
        /// It is where that cannot be changed any more.
        case refused(TaskRecord)
        /// It is not as the client believed.
        case preconditionFailed(TaskRecord)
        /// There is no such task.
        case notFound
    }

    /// Changes a task.
    ///
    /// One that waits can be changed in everything; one under way in everything but its `notBefore`; one that is being
    /// canceled or is done in nothing.
    ///
    /// - Parameter isMet: Whether the task, as it is when its turn to be changed comes, is as the client believes.
    package func edit(
        _ id: TaskID, _ edit: TaskEdit, ifRevision isMet: @escaping @Sendable (TaskRecord) -> Bool = { _ in true }
    ) async throws(TaskStoreError) -> EditAnswer {
        guard let record = try await task(id) else { return .notFound }
        switch await reply(to: .edit(edit, ifRevision: isMet), of: record) {
        case .changed(let record), .unchanged(let record): return .done(record)
        case .refused(let record): return .refused(record)
        case .preconditionFailed(let record): return .preconditionFailed(record)
        case .gone: return .notFound
        case .failed(let error): throw error
        }
    }

    /// Removes a task with everything that belongs to it, after cancelling it if it is not done.
    ///
    /// One that cannot be read is removed too: nothing of it is under way, as an attempt begins with reading it.
    ///
    /// - Returns: `false` when there is no such task.
    package func delete(_ id: TaskID) async throws(TaskStoreError) -> Bool {
        var answer = try await unlessUnreadable(id) { () async throws(TaskStoreError) in try await cancel(id) }
        while case .canceling(let record) = answer {
            guard let current = try await wait(for: record, until: .done, timeout: Self.cancelPatience) else {
                return false
            }
            answer = current.state.isTerminal ? .canceled(current) : .canceling(current)
        }
        return try await remove(id)
    }

    /// Removes a task that is done with everything that belongs to it.
    ///
    /// - Returns: `false` when there is no such task.
    func remove(_ id: TaskID) async throws(TaskStoreError) -> Bool {
        guard let deletion = try await store.delete(id, at: now()) else { return false }
        if let release = deletion.release { letGo(of: release) }
        recent.remove(id)
        _ = state.withLock { $0.passedOver.remove(id) }
        await removeBody(of: id)
        watchers.didDelete(id)
        return true
    }
}
