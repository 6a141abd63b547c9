package import ErrandTaskStore
import ErrandTime

extension TaskQuery {
    /// Returns the numbers of tasks by state that a store counts if these tasks match.
    func counts(of tasks: [TaskRecord]) -> [TaskState: Int] {
        var counts = Dictionary(uniqueKeysWithValues: admittedStates.map { ($0, 0) })
        for task in tasks { counts[task.state, default: 0] += 1 }
        return counts
    }
}

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
