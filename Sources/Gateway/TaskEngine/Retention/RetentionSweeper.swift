import ErrandConfiguration
import ErrandTaskStore
import ErrandTime
import Logging

/// Removes expired tasks, idempotency keys, and the records of deleted tasks.
///
/// It works in small steps, each a short transaction, and lets other work run between them. It has its own timer: an
/// expired item is removed within ``interval`` plus the time of a sweep.
struct RetentionSweeper: Sendable {
    /// The pause between two sweeps.
    static let interval = Duration.seconds(30)
    /// The time for which the deletion of a task is remembered, for readers of the event stream.
    static let deletionMemory = Duration.seconds(86_400)
    /// The most items that one step removes.
    static let step = 100

    let context: TaskContext
    let removal: TaskRemoval
    /// Returns the retention times at the moment of the sweep.
    let retention: @Sendable () -> RetentionConfiguration
    /// Returns the longest of the retention times that were in force since the start of the process.
    let longest: @Sendable () -> Duration

    /// Removes everything that has expired.
    ///
    /// Items that cannot be removed are left to the next sweep. Ends early when the calling task is canceled.
    func sweep() async {
        do throws(TaskStoreError) {
            let kept = retention().maxTasks
            var failure: TaskStoreError?
            var removed = try await removeAll(failure: &failure) { () async throws(TaskStoreError) in
                try await context.store.expired(at: moment, limit: Self.step)
            }
            if kept > 0 {
                removed += try await removeAll(failure: &failure) { () async throws(TaskStoreError) in
                    try await context.store.finished(beyond: kept, limit: Self.step)
                }
            }
            if removed > 0 {
                context.logger.info("Removed expired tasks", metadata: ["tasks": .stringConvertible(removed)])
            }
            try await forget()
            if let failure { throw failure }
        } catch {
            guard error.code != .closed else { return }
            context.logger.error(
                "A sweep of expired tasks failed; the next sweep continues", metadata: ["error": "\(error)"])
        }
    }

    /// Removes expired tasks step by step, until none is left or none of a step can be removed.
    ///
    /// - Parameter failure: The first error of a task, which does not prevent that others are removed.
    /// - Returns: The number of removed tasks.
    private func removeAll(
        failure: inout TaskStoreError?, _ read: () async throws(TaskStoreError) -> [TaskID]
    ) async throws(TaskStoreError) -> Int {
        var removed = 0
        while !Task.isCancelled {
            let page = try await read()
            guard !page.isEmpty else { break }
            let results = await withTaskGroup(of: Result<Bool, TaskStoreError>.self) { group in
                for id in page { group.addTask { await remove(id) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            var isDone = true
            for result in results {
                switch result {
                case .success(let isRemoved):
                    isDone = false
                    if isRemoved { removed += 1 }
                case .failure(let error) where error.code == .closed: throw error
                case .failure(let error): failure = failure ?? error
                }
            }
            if isDone { break }
            await Task.yield()
        }
        return removed
    }

    /// Removes a task that has expired; no-op if it is gone already.
    private func remove(_ id: TaskID) async -> Result<Bool, TaskStoreError> {
        do throws(TaskStoreError) {
            return .success(try await removal.remove(id, because: .retention))
        } catch {
            return .failure(error)
        }
    }

    /// The moment that decides whether a retention time is over.
    private var moment: Timestamp { context.wall.retentionMoment(longest: longest()) }

    private func forget() async throws(TaskStoreError) {
        while !Task.isCancelled {
            let hasMore = try await context.store.forget(
                keysExpiredAt: moment, deletionsBefore: moment.adding(.zero - Self.deletionMemory), limit: Self.step)
            guard hasMore else { return }
            await Task.yield()
        }
    }
}
