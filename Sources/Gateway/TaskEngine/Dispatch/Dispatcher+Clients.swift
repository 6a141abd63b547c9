import ErrandLocking
import ErrandSessionCore
import ErrandTaskAdmission
package import ErrandTaskStore
import ErrandTime
import ErrandTransfer

/// Operations that clients request on existing tasks.
extension Dispatcher {
    /// Returns the part of a task's state that is not stored.
    package func liveState(of record: TaskRecord) -> LiveTaskState {
        let now = context.monotonic.now
        let (running, waitReason) = state.withLock { state in
            var reason = state.admission.waitReason(session: record.session, at: now)
            // The slots of a destination are a part of those of its session.
            if reason == nil, state.admission.waitsAtDestination(record.id) { reason = .concurrency }
            return (state.live[record.id]?.measure(at: now), reason)
        }
        let reason = record.state == .queued ? (record.isBlocked ? .ordering : waitReason) : nil
        return LiveTaskState(
            progress: running?.control.progress, rates: running?.rates ?? TransferRates(), waitReason: reason)
    }

    // MARK: Commands

    // A command gets the task as its caller has read it. If the task was changed since, the command is applied to the
    // task as it is in memory; if it is not there, the store refuses the change, and the command is applied again.

    /// Cancels a task: a waiting task at once, a running task after its connection is closed.
    ///
    /// A task that has not ended after ``ClientPatience/cancel`` is reported as `canceling`. It never succeeds
    /// afterwards, not even after a crash.
    ///
    /// - Parameter keepsFile: True to keep the partial file of a download, which a retry continues.
    func cancel(
        _ record: TaskRecord, keepingPartialFile keepsFile: Bool = false
    ) async throws(TaskStoreError) -> TaskCommandOutcome {
        let outcome = try await reply(to: keepsFile ? .cancelKeepingPartialFile : .cancel, of: record)
        guard case .done(let canceled, let isChanged) = outcome, !canceled.state.isTerminal else { return outcome }
        do throws(TaskStoreError) {
            let ended = try await context.wait(for: canceled, until: .done, timeout: context.patience.cancel)
            return ended.map { .done($0, changed: isChanged) } ?? .notFound
        } catch {
            // The cancellation is stored, and only its end is not known here.
            return outcome
        }
    }

    /// Suspends a task: a waiting task is not started, the transfer of a running task stops reading and writing.
    ///
    /// A running task keeps its slot and its connection for the session's `timeouts.suspended_keep`.
    func suspend(_ record: TaskRecord) async throws(TaskStoreError) -> TaskCommandOutcome {
        try await reply(to: .suspend, of: record)
    }

    /// Resumes a suspended task: its open attempt continues, otherwise a new attempt begins.
    func resume(_ record: TaskRecord) async throws(TaskStoreError) -> TaskCommandOutcome {
        try await reply(to: .resume, of: record)
    }

    /// Moves a scheduled task, or a task between two attempts, to the front of the queue; limits still apply.
    func runNow(_ record: TaskRecord) async throws(TaskStoreError) -> TaskCommandOutcome {
        try await reply(to: .runNow, of: record)
    }

    /// Edits a task.
    ///
    /// A waiting task can be changed in every part, a running task in all but `notBefore`. A task that is being
    /// canceled or has ended cannot be changed.
    ///
    /// - Parameter isMet: The client's precondition, evaluated when the edit is applied.
    func edit(
        _ record: TaskRecord, _ edit: TaskEdit,
        ifRevision isMet: @escaping @Sendable (TaskRecord) -> Bool = { _ in true }
    ) async throws(TaskStoreError) -> TaskCommandOutcome {
        try await reply(to: .edit(edit, ifRevision: isMet), of: record)
    }
}
