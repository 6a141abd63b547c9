import Locking
package import TaskStore
package import Transfer

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

    /// The attempts of a session that are under way.
    func running(session: String) -> Int {
        state.withLock { $0.admission.running(session: session) }
    }

    /// How far the transfer of a running task is; `nil` when none is under way.
    package func progress(of id: TaskID) -> TransferProgress? {
        state.withLock { $0.live[id]?.attempt?.control }?.progress
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
        guard let record = try await task(id) else { return .notFound }
        guard !record.state.isTerminal else { return record.state == .canceled ? .canceled(record) : .tooLate(record) }
        let reply = await withCheckedContinuation { continuation in
            Task { await deliver(.cancel, to: record, reply: continuation) }
        }
        switch reply {
        case .gone:
            return .notFound
        case .failed(let error):
            throw error
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

    /// Removes a task with everything that belongs to it, after cancelling it if it is not done.
    ///
    /// - Returns: `false` when there is no such task.
    package func delete(_ id: TaskID) async throws(TaskStoreError) -> Bool {
        var answer = try await cancel(id)
        while case .canceling(let record) = answer {
            guard let current = try await wait(for: record, until: .done, timeout: Self.cancelPatience) else {
                return false
            }
            answer = current.state.isTerminal ? .canceled(current) : .canceling(current)
        }
        guard try await store.delete(id) else { return false }
        recent.remove(id)
        await removeBody(of: id)
        watchers.didDelete(id)
        return true
    }
}
