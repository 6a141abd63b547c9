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
    /// The number of tasks that the store may fail to remove in a sweep, which reads no more of them then.
    static let mostFailures = 4 * step

    let context: TaskContext
    let removal: TaskRemoval
    /// Returns the retention times at the moment of the sweep.
    let retention: @Sendable () -> RetentionConfiguration
    /// Returns the longest of the retention times that were in force since the start of the process.
    let longest: @Sendable () -> Duration
    /// Returns true if a step of a task is under way.
    let isLive: @Sendable (TaskID) -> Bool

    /// The progress of a sweep through the tasks to be removed.
    private struct Progress {
        var removed = 0
        /// The number of tasks that the store could not remove.
        var failures = 0
        /// The first of these failures.
        var failure: TaskStoreError?

        /// True if the store removes nothing, so that there is no use in further tries.
        var isOver: Bool { failures >= RetentionSweeper.mostFailures }
    }

    /// The outcome of the removal of a task.
    private enum Removal {
        case removed
        /// The task was gone already.
        case gone
        /// A step of the task is under way.
        case left
        /// The task cannot be removed for a reason of its own.
        case unreadable
    }

    /// Removes everything that has expired.
    ///
    /// Tasks that cannot be removed do not keep the others, and are left to the next sweep. Ends early when the calling
    /// task is canceled.
    func sweep() async {
        do throws(TaskStoreError) {
            let kept = retention().maxTasks
            var progress = Progress()
            try await removeAll(&progress) { (last, _) async throws(TaskStoreError) -> [TaskMoment] in
                try await context.store.expired(at: moment, after: last, limit: Self.step)
            }
            if kept > 0 {
                try await removeAll(&progress) { (last, left) async throws(TaskStoreError) -> [TaskMoment] in
                    try await context.store.finished(beyond: kept + left, after: last, limit: Self.step)
                }
            }
            if progress.removed > 0 {
                context.logger.info(
                    "Removed expired tasks", metadata: ["tasks": .stringConvertible(progress.removed)])
            }
            try await forget()
            if let failure = progress.failure { throw failure }
        } catch {
            guard error.code != .closed else { return }
            context.logger.error(
                "A sweep of expired tasks failed; the next sweep continues", metadata: ["error": "\(error)"])
        }
    }

    /// Removes tasks step by step, each behind the one before, until there are no more.
    ///
    /// - Parameters:
    ///   - progress: The progress of the sweep. The first error of a task does not prevent that others are removed.
    ///   - read: Returns the tasks behind a position, given the number of tasks up to it that were not removed.
    private func removeAll(
        _ progress: inout Progress,
        _ read: (_ last: TaskMoment?, _ left: Int) async throws(TaskStoreError) -> [TaskMoment]
    ) async throws(TaskStoreError) {
        var (last, left): (TaskMoment?, Int) = (nil, 0)
        while !Task.isCancelled, !progress.isOver {
            let page = try await read(last, left)
            guard let end = page.last else { return }
            let results = await withTaskGroup(of: Result<Removal, TaskStoreError>.self) { group in
                for task in page { group.addTask { await remove(task.id) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for result in results {
                switch result {
                case .success(.removed): progress.removed += 1
                case .success(.gone): break
                case .success(.left): left += 1
                case .success(.unreadable):
                    left += 1
                    progress.failures += 1
                case .failure(let error):
                    guard error.code != .closed else { throw error }
                    left += 1
                    progress.failures += 1
                    progress.failure = progress.failure ?? error
                }
            }
            last = end
            await Task.yield()
        }
    }

    /// Removes a task whose time is over.
    ///
    /// One with a step under way, of which the end may just have been stored, is left to the next sweep: the step would
    /// put it back into memory.
    private func remove(_ id: TaskID) async -> Result<Removal, TaskStoreError> {
        guard !isLive(id) else { return .success(.left) }
        do throws(TaskStoreError) {
            let found = try await context.unlessUnreadable(id) { () async throws(TaskStoreError) -> Bool? in
                try await removal.remove(id, because: .retention)
            }
            guard let isRemoved = found else { return .success(.unreadable) }
            return .success(isRemoved ? .removed : .gone)
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
