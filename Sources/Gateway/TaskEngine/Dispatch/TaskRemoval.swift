import ErrandLocking
package import ErrandTaskStore

/// Removes tasks with everything that belongs to them: their records, events and body files.
///
/// Clients delete a task, which is canceled first if it has not ended; the retention sweeps remove tasks that have
/// ended. Any thread.
struct TaskRemoval: Sendable {
    let context: TaskContext
    /// Cancels tasks, and starts the next task of an ordering key.
    let steps: any StepDelivery
    let due: DueTimer
    let underWay: RemovalsUnderWay

    /// Removes a task with everything that belongs to it; cancels it first if it has not ended.
    ///
    /// A task that cannot be read is removed too: it has no attempt under way, as an attempt begins with reading the
    /// task.
    ///
    /// The removal runs in its own task: it continues when the caller is canceled, and concurrent callers get the same
    /// result.
    ///
    /// - Parameter record: The task as the caller has read it; `nil` if it was not read, or cannot be.
    /// - Returns: `false` if the task does not exist.
    /// - Throws: ``TaskStoreError/Code/stillCanceling`` if the task does not end within ``ClientPatience/removal``.
    func delete(_ id: TaskID, known record: TaskRecord?) async throws(TaskStoreError) -> Bool {
        try await underWay.run(id) { () async throws(TaskStoreError) in
            try await cancelAndRemove(id, known: record)
        }
    }

    /// Removes a task that has ended, with everything that belongs to it.
    ///
    /// - Returns: `false` if the task does not exist.
    func remove(_ id: TaskID, because reason: DeletionReason) async throws(TaskStoreError) -> Bool {
        let deletion = try await context.store.delete(id, at: context.now(), because: reason)
        if let release = deletion?.release { steps.unblockNext(after: release) }
        // Also of a task that was gone already: nothing in memory outlives it.
        context.recent.remove(id)
        due.forget(id)
        guard deletion != nil else { return false }
        await context.removeBody(of: id)
        await context.removePartialFile(of: id)
        await context.removeContent(of: id)
        context.watchers.didDelete(id)
        return true
    }

    private func cancelAndRemove(_ id: TaskID, known record: TaskRecord?) async throws(TaskStoreError) -> Bool {
        let canceling = try await context.unlessUnreadable(id) { () async throws(TaskStoreError) in
            try await cancel(id, known: record)
        }
        if let canceling {
            let current = try await context.wait(for: canceling, until: .done, timeout: context.patience.removal)
            guard current?.state.isTerminal ?? true else {
                throw TaskStoreError(
                    .stillCanceling, "The task is being canceled and cannot be removed until that is stored")
            }
        }
        return try await remove(id, because: .client)
    }

    /// Cancels a task, and waits for its end at most for ``ClientPatience/cancel``.
    ///
    /// - Returns: The task if its connection is still being closed; `nil` if the task has ended or does not exist.
    private func cancel(_ id: TaskID, known record: TaskRecord?) async throws(TaskStoreError) -> TaskRecord? {
        let found: TaskRecord? = if let record { record } else { try await context.task(id) }
        guard let task = found else { return nil }
        let outcome = try await steps.reply(to: .cancel, of: task)
        guard case .done(let canceling, _) = outcome, !canceling.state.isTerminal else { return nil }
        let last = try await context.wait(for: canceling, until: .done, timeout: context.patience.cancel)
        guard let current = last, !current.state.isTerminal else { return nil }
        return current
    }
}

/// The removals under way on request of clients: they belong to no request.
///
/// Any thread.
final class RemovalsUnderWay: Sendable {
    private typealias Removal = Task<Result<Bool, TaskStoreError>, Never>

    private let removals = Mutex<[TaskID: Removal]>([:])

    /// Runs the removal of a task in a task of its own, or waits for the one that is under way.
    func run(
        _ id: TaskID, _ remove: @escaping @Sendable () async throws(TaskStoreError) -> Bool
    ) async throws(TaskStoreError) -> Bool {
        let removal = removals.withLock { removals -> Removal in
            if let removal = removals[id] { return removal }
            let removal = Task { () -> Result<Bool, TaskStoreError> in
                defer { self.removals.withLock { $0[id] = nil } }
                do throws(TaskStoreError) {
                    return .success(try await remove())
                } catch {
                    return .failure(error)
                }
            }
            removals[id] = removal
            return removal
        }
        return try await removal.value.get()
    }

    /// Waits for the end of all removals.
    func wait() async {
        for removal in removals.withLock({ Array($0.values) }) { _ = await removal.value }
    }
}

extension Dispatcher {
    /// The removal of tasks whose steps this dispatcher delivers.
    var removal: TaskRemoval {
        TaskRemoval(context: context, steps: self, due: due, underWay: removals)
    }

    /// Removes a task on request of a client: ``TaskRemoval/delete(_:known:)``.
    package func delete(_ id: TaskID, known record: TaskRecord? = nil) async throws(TaskStoreError) -> Bool {
        try await removal.delete(id, known: record)
    }
}
