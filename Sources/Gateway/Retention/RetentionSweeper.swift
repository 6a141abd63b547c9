import Configuration
import Logging
import TaskStore

/// Removes what has been kept for as long as it was to be: tasks that are done, idempotency keys, and the memory of
/// tasks that were deleted.
///
/// It works in small steps, each a short transaction, and lets others have their turn between them. By a clock of its
/// own: what expires is gone within ``interval`` and the time of a sweep.
struct RetentionSweeper: Sendable {
    /// How long it rests between two sweeps.
    static let interval = Duration.seconds(30)
    /// How long it is known that a task was deleted, for those who follow the events of all tasks.
    static let deletionMemory = Duration.seconds(86_400)
    /// The most that one step removes.
    static let step = 100

    let store: any TaskStore
    /// What is kept, and for how long, at the moment of the sweep.
    let retention: @Sendable () -> RetentionConfiguration
    /// Removes a task with everything that belongs to it; nothing when it is gone already.
    let remove: @Sendable (TaskID) async -> Result<Bool, TaskStoreError>
    let now: @Sendable () -> Timestamp
    let logger: Logger

    /// Removes everything whose time is over.
    ///
    /// What cannot be removed now is left to the next sweep. Ends early when the calling task is cancelled.
    func sweep() async {
        do throws(TaskStoreError) {
            let kept = retention().maxTasks
            var removed = try await removeAll { () async throws(TaskStoreError) in
                try await store.expired(at: now(), limit: Self.step)
            }
            if kept > 0 {
                removed += try await removeAll { () async throws(TaskStoreError) in
                    try await store.finished(beyond: kept, limit: Self.step)
                }
            }
            if removed > 0 { logger.info("Removed expired tasks", metadata: ["tasks": "\(removed)"]) }
            try await forget()
        } catch {
            guard error.code != .closed else { return }
            logger.error("A sweep of expired tasks failed; the next goes on", metadata: ["error": "\(error)"])
        }
    }

    /// Removes tasks step by step until there are none to remove.
    ///
    /// - Returns: How many.
    private func removeAll(
        _ read: () async throws(TaskStoreError) -> [TaskID]
    ) async throws(TaskStoreError) -> Int {
        var removed = 0
        while !Task.isCancelled {
            let page = try await read()
            guard !page.isEmpty else { break }
            let results = await withTaskGroup(of: Result<Bool, TaskStoreError>.self) { group in
                for id in page { group.addTask { await remove(id) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for result in results {
                if try result.get() { removed += 1 }
            }
            await Task.yield()
        }
        return removed
    }

    private func forget() async throws(TaskStoreError) {
        while !Task.isCancelled {
            let moment = now()
            let hasMore = try await store.forget(
                keysExpiredAt: moment, deletionsBefore: moment.adding(.zero - Self.deletionMemory), limit: Self.step)
            guard hasMore else { return }
            await Task.yield()
        }
    }
}
