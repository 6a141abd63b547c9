import ErrandLocking
import ErrandTaskStore
import ErrandTime
import Logging

/// Adjusts tasks when the system's clock was set.
///
/// Delays and back-offs are durations: their remaining time stays the same. `not_before` and deadlines are times of day
/// and follow the clock. Retention times are never shortened.
extension Dispatcher: WallClockObserver {
    /// The number of tasks that are moved together.
    private static let retimingStep = 500

    func clockWasSet(_ change: WallClock.Change) async {
        context.logger.warning("The system's clock was set", metadata: ["by": "\(change.jump)"])
        state.withLock { $0.clock.note(change.jump) }
        await moveWaits(by: change.jump, change: change.number)
    }

    func clockHasSettled() {
        state.withLock { state in
            if !context.wall.isSettling { state.clock.settle() }
        }
        due.check()
    }

    /// Moves the ends of all delays and back-offs that were computed before the clock was set.
    ///
    /// - Parameter change: The number of the change; tasks written since then use the new time already. `nil` before
    ///   any task is written.
    func moveWaits(by jump: Duration, change: Int?) async {
        await clockQueue.run(key: "") { [self] in
            var query = TaskQuery()
            query.states = [.scheduled, .waiting, .suspended]
            query.pageSize = Self.retimingStep
            query.after = context.ids.next()
            var moved = 0
            while let page = await waits(query), let last = page.last {
                moved +=
                    await context.retryingStoreErrors("moving the ends of pauses") { () async throws(TaskStoreError) in
                        // After a failure, tasks that were moved before it have been written since the change and stay
                        // as they are.
                        try await deliver(.clockWasSet(by: jump, change: change), to: page).count
                    } ?? 0
                query.after = last
            }
            context.logger.notice("Moved the ends of delays and pauses", metadata: ["tasks": "\(moved)"])
        }
    }

    private func waits(_ query: TaskQuery) async -> [TaskID]? {
        await context.retryingStoreErrors("reading tasks that wait") { () async throws(TaskStoreError) in
            try await context.store.identifiers(query)
        }
    }

    /// Returns the time by which the last process's clock was ahead of this one's; zero if it was not, as far as is
    /// known.
    func setbackSinceLastRun() async throws(TaskStoreError) -> Duration {
        let newest = try await context.store.eventBounds().newest
        guard let last = try await context.store.events(after: newest - 1, task: nil, limit: 1).first else {
            return .zero
        }
        let lead = last.at.duration(since: context.now())
        return lead > WallClock.tolerance ? lead : .zero
    }

    /// The moment that decides whether a retention time is over.
    ///
    /// Not later than if the clock had never been set forward, so that tasks that ended before are kept for their full
    /// time.
    var retentionMoment: Timestamp {
        let lead = state.withLock { $0.clock.lead }
        return context.now().adding(.zero - lead)
    }
}

/// The record of the changes of the system's clock.
struct ClockChanges: Sendable {
    /// The sum of the jumps forward, less the jumps back since.
    private(set) var lead = Duration.zero
    /// The number of the last clock change before each task was written, for tasks written while a change is being
    /// handled.
    private var written: [TaskID: Int] = [:]

    /// Records a jump of the clock.
    mutating func note(_ jump: Duration) {
        lead = max(lead + jump, .zero)
    }

    /// Forgets the written tasks, when all changes are handled.
    mutating func settle() {
        written = [:]
    }

    /// Records that a task was written.
    ///
    /// - Parameters:
    ///   - before: The reading that the change of the task was computed with.
    ///   - after: A reading after it was stored.
    /// - Returns: The duration by which the ends of its waits must be moved, because the clock was set in between and
    ///   the task may have been stored too late to be moved with the others; `nil` if the clock was not set.
    mutating func noteWrite(
        of task: TaskID, from before: WallClock.Reading, to after: WallClock.Reading
    ) -> Duration? {
        if after.isSettling { written[task] = after.changes }
        return before.changes == after.changes ? nil : after.offset - before.offset
    }

    /// Returns true if a task was written with the time after a change, or is moved separately.
    func isWritten(_ task: TaskID, since change: Int) -> Bool {
        (written[task] ?? 0) >= change
    }
}
