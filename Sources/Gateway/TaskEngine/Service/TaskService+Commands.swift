package import ErrandTaskStore

/// Commands on existing tasks.
///
/// Each gets the task as it was read for the caller, and does not read it again.
extension TaskService {
    /// Cancels a task; `canceling` in the outcome tells that its connection is still being closed.
    ///
    /// - Parameter keepsFile: True to keep the partial file of a download, which a retry continues. Default: false.
    package func cancel(
        _ record: TaskRecord, keepingPartialFile keepsFile: Bool = false
    ) async throws(TaskStoreError) -> TaskCommandOutcome {
        try await dispatcher.cancel(record, keepingPartialFile: keepsFile)
    }

    /// Suspends a task.
    package func suspend(_ record: TaskRecord) async throws(TaskStoreError) -> TaskCommandOutcome {
        try await dispatcher.suspend(record)
    }

    /// Resumes a suspended task.
    package func resume(_ record: TaskRecord) async throws(TaskStoreError) -> TaskCommandOutcome {
        try await dispatcher.resume(record)
    }

    /// Starts a task next that waits for its start time or its next attempt; limits still apply.
    package func runNow(_ record: TaskRecord) async throws(TaskStoreError) -> TaskCommandOutcome {
        try await dispatcher.runNow(record)
    }

    /// Decodes an edit of a task.
    ///
    /// - Throws: All errors of the merge patch.
    package func edit(in patch: [UInt8], of record: TaskRecord) throws(TaskRejection) -> TaskEdit {
        try TaskEditReader(record: record, now: context.now(), maxDepth: services.maxDepth).read(patch)
    }

    /// Edits a task.
    ///
    /// - Parameter isMet: The caller's precondition, evaluated when the edit is applied.
    package func edit(
        _ record: TaskRecord, _ edit: TaskEdit, ifRevision isMet: @escaping @Sendable (TaskRecord) -> Bool
    ) async throws(TaskStoreError) -> TaskCommandOutcome {
        try await dispatcher.edit(record, edit, ifRevision: isMet)
    }

    /// Removes a task with everything that belongs to it; cancels it first if it has not ended.
    ///
    /// - Returns: `false` if the task does not exist any more.
    package func delete(_ task: RemovableTask) async throws(TaskStoreError) -> Bool {
        try await dispatcher.delete(task.id, known: task.record)
    }
}
