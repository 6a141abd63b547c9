package import ErrandTaskStore
import ErrandTime

/// Shorter forms of the most frequent operations.
extension TaskStore {
    /// Adds a task.
    package func insert(_ record: TaskRecord) async throws(TaskStoreError) {
        _ = try await insert(NewTask(record))
    }

    /// Changes a task without further data.
    ///
    /// - Returns: True if the change is stored.
    package func update(_ record: TaskRecord, expecting expected: Int64) async throws(TaskStoreError) -> Bool {
        try await update(TaskUpdate(record, expecting: expected)) != .stale
    }

    /// Removes a task.
    ///
    /// - Returns: True if there was one.
    package func delete(_ id: TaskID, because reason: DeletionReason = .client) async throws(TaskStoreError) -> Bool {
        try await delete(id, at: id.timestamp.adding(.seconds(60)), because: reason) != nil
    }
}
