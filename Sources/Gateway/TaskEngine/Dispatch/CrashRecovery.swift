import ErrandTaskStore
import Logging

/// Ends the attempts that were under way when an earlier process ended.
///
/// The dispatcher runs it once, before any task is started: no step of a task is under way, and the changes are written
/// to the store directly. ``Recovery`` decides for each task. Any thread.
struct CrashRecovery: Sendable {
    /// The number of tasks that are recovered together.
    private static let step = 200

    let context: TaskContext
    /// The retention time and callbacks added to tasks that end.
    let completion: TaskCompletion

    /// Recovers all tasks whose attempt was under way, page by page.
    ///
    /// A task that cannot be read or changed, because it is damaged or its key is missing, stays as it is, for a start
    /// that can.
    func run() async throws(TaskStoreError) {
        var last: TaskID?
        var recovered = 0
        while true {
            let page = try await context.store.interrupted(after: last, limit: Self.step)
            guard let end = page.last else { break }
            recovered += try await recover(page)
            last = end
        }
        if recovered > 0 {
            context.logger.notice("Recovered interrupted tasks", metadata: ["tasks": .stringConvertible(recovered)])
        }
    }

    /// Recovers tasks concurrently, so that the store writes them together.
    ///
    /// - Returns: The number of recovered tasks.
    private func recover(_ page: [TaskID]) async throws(TaskStoreError) -> Int {
        let results = await withTaskGroup(of: Result<Bool, TaskStoreError>.self) { group in
            for id in page {
                group.addTask { await self.recover(id) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var recovered = 0
        for result in results {
            if try result.get() { recovered += 1 }
        }
        return recovered
    }

    /// Recovers a task, unless it cannot be read.
    ///
    /// - Returns: True if its recovery was stored.
    private func recover(_ id: TaskID) async -> Result<Bool, TaskStoreError> {
        do throws(TaskStoreError) {
            let found = try await context.unlessUnreadable(id) { () async throws(TaskStoreError) in
                try await context.store.task(id)
            }
            guard let record = found else { return .success(false) }
            return await recover(record)
        } catch {
            return .failure(error)
        }
    }

    private func recover(_ record: TaskRecord) async -> Result<Bool, TaskStoreError> {
        let recovery = Recovery(retry: context.retryConfiguration(of: record), completion: completion)
        let reading = context.wall.reading
        let moved = record.movingWaits(to: reading.offset)
        guard let update = recovery.update(after: moved, at: reading.time) else { return .success(false) }
        do throws(TaskStoreError) {
            let outcome = try await context.unlessUnreadable(record.id) {
                () async throws(TaskStoreError) -> UpdateOutcome? in
                try await context.store.update(update)
            }
            guard let outcome else { return .success(false) }
            let isStored = if case .stored = outcome { true } else { false }
            if isStored {
                context.log.taskWasStored(update.record)
                context.spans.add(Span(update.record))
                context.meters.taskEnded(update.record)
            }
            await context.removeBody(of: record.id)
            return .success(isStored)
        } catch {
            return .failure(error)
        }
    }
}
