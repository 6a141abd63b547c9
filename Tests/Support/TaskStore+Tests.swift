package import TaskStore

/// Shorter ways to say what most tests do.
extension TaskStore {
    /// Adds a task.
    package func insert(_ record: TaskRecord) async throws(TaskStoreError) {
        _ = try await insert(NewTask(record))
    }

    /// Changes a task alone.
    ///
    /// - Returns: Whether it is stored.
    package func update(_ record: TaskRecord, expecting expected: Int64) async throws(TaskStoreError) -> Bool {
        try await update(TaskUpdate(record, expecting: expected)) != .stale
    }

    /// Removes a task.
    ///
    /// - Returns: Whether there was one.
    package func delete(_ id: TaskID) async throws(TaskStoreError) -> Bool {
        try await delete(id, at: id.timestamp.adding(.seconds(60))) != nil
    }
}
