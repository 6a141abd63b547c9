package import ErrandTaskStore
import ErrandTime
import Testing

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

    /// Adds tasks in one call.
    package func insert(all records: [TaskRecord]) async throws(TaskStoreError) {
        for result in await insert(records.map { NewTask($0) }) { _ = try result.get() }
    }

    /// Returns the tasks of all pages of a list; each page but the last has to be full.
    ///
    /// Each page is found by the text of the token of the one before.
    func identifiers(inPagesOf query: TaskQuery) async throws -> [TaskID] {
        var query = query
        var found: [TaskID] = []
        while true {
            let page = try await tasks(query)
            found += page.tasks.map(\.id)
            // A list that repeats its tasks, or whose pages are empty, does not end by itself.
            guard let next = page.next, found.count < 1000 else { return found }
            try #require(page.tasks.count == query.pageSize)
            let token = try #require(PageToken(next.description))
            query.start(after: try #require(token.position(in: query)), finishedAt: token.finishedAt)
        }
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
