import ErrandLocking
import ErrandTaskStore
import ErrandTime
import Logging

/// Adjusts tasks when the system's clock was set.
///
/// Delays and back-offs are durations: their remaining time stays the same. `not_before` and deadlines are times of day
/// and follow the clock. Retention times are not shortened while the process runs.
///
/// The dispatcher reports the changes of the clock, and each stored task with the clock's readings around the write.
/// Any thread.
final class ClockAdjustment: Sendable {
    /// The number of tasks that are moved together.
    private static let step = 500

    private let context: TaskContext
    /// Handles one change after the other.
    private let serialQueue = SerialQueue()
    private let state = Mutex(State())

    fileprivate struct State {
        /// The time by which the clock was set back between the last run and this one, as far as is known.
        var setback = Duration.zero
        /// The changes before those that are being handled.
        var settled = WallClock.Settled()
        /// The sum of jumps with which the ends of a task's waits agree, for each task that was written since.
        ///
        /// Those of other tasks agree with ``settled``.
        var offsets: [TaskID: Duration] = [:]
    }

    /// Creates an adjustment of tasks before any change of the clock.
    init(_ context: TaskContext) {
        self.context = context
    }

    // MARK: The start

    /// The time by which the clock was set back between the last run and this one; zero if it was not.
    var setback: Duration { state.withLock { $0.setback } }

    /// Determines whether the clock was set back since the last run; called before any event is stored.
    func prepare() async throws(TaskStoreError) {
        let setback = try await setbackSinceLastRun()
        state.withLock { $0.setback = setback }
        if setback > .zero { context.wall.noteSetback(by: setback) }
    }

    /// Moves the ends of waits if the clock was set back since the last run.
    func start(_ steps: any StepDelivery) {
        let setback = state.withLock { $0.setback }
        guard setback > .zero else { return }
        context.logger.warning("The system's clock was set back since the last run", metadata: ["by": "\(setback)"])
        Task {
            await moveWaits(steps)
            context.wall.didHandleChange()
        }
    }

    /// Returns the time by which the last process's clock was ahead of this one's; zero if it was not, as far as is
    /// known.
    private func setbackSinceLastRun() async throws(TaskStoreError) -> Duration {
        guard let last = try await lastEvent() else { return .zero }
        let lead = last.at.duration(since: context.now())
        return lead > WallClock.tolerance ? lead : .zero
    }

    /// Returns the newest event; `nil` if there is none, or it is damaged, which does not prevent the start.
    private func lastEvent() async throws(TaskStoreError) -> StoredEvent? {
        let newest = try await context.store.eventBounds().newest
        do throws(TaskStoreError) {
            return try await context.store.events(after: newest - 1, task: nil, limit: 1).first
        } catch {
            guard error.code == .corrupt else { throw error }
            context.logger.error(
                "The last event cannot be read; it is not known whether the clock was set back",
                metadata: ["error": "\(error.debugDescription)"])
            return nil
        }
    }

    // MARK: Changes

    /// Handles a change of the clock: moves the ends of waits that were computed before it.
    func clockWasSet(_ change: WallClock.Change, _ steps: any StepDelivery) async {
        context.logger.warning("The system's clock was set", metadata: ["by": "\(change.jump)"])
        await moveWaits(steps)
    }

    /// Forgets what is needed only while changes are being handled.
    func clockHasSettled() {
        let reading = context.wall.reading
        guard !reading.isSettling else { return }
        state.withLock { if $0.settled == reading.settled { $0.offsets = [:] } }
    }

    /// Moves the ends of all delays and back-offs that were computed before the clock was set.
    private func moveWaits(_ steps: any StepDelivery) async {
        await serialQueue.run { [self] in
            var query = TaskQuery()
            query.states = [.scheduled, .waiting, .suspended]
            query.pageSize = Self.step
            query.after = context.ids.next()
            var moved = 0
            while let page = await waits(query), let last = page.last {
                moved +=
                    await context.retryingStoreErrors("moving the ends of pauses") { () async throws(TaskStoreError) in
                        // After a failure, tasks that were moved before it stay as they are.
                        try await steps.deliver(.clockWasSet(from: nil), to: page).get().count
                    } ?? 0
                query.after = last
            }
            context.logger.notice(
                "Adjusted the times of waiting tasks to the changed clock",
                metadata: ["tasks": .stringConvertible(moved)])
        }
    }

    private func waits(_ query: TaskQuery) async -> [TaskID]? {
        await context.retryingStoreErrors("reading tasks that wait") { () async throws(TaskStoreError) in
            try await context.store.identifiers(query, for: .dispatcher)
        }
    }

    // MARK: Stored tasks

    /// Returns the duration by which the ends of a task's waits must be moved before a step uses them.
    ///
    /// - Parameter reading: The reading that the step uses.
    func remainingMove(of id: TaskID, for step: TaskStep, at reading: WallClock.Reading) -> Duration {
        if case .clockWasSet(let offset?) = step { return reading.offset - offset }
        // Nearly all steps: they need no lock.
        guard reading.isSettling else { return .zero }
        return state.withLock { state in
            let written = state.settled == reading.settled ? state.offsets[id] : nil
            return reading.offset - (written ?? reading.settled.offset)
        }
    }

    /// Records that a task was stored.
    ///
    /// The caller drains the steps of the task, so that it computes none until this has returned. This record need not
    /// be atomic with the dispatcher's.
    ///
    /// - Parameters:
    ///   - before: The reading that the change of the task was computed with.
    ///   - after: A reading after it was stored.
    /// - Returns: The step that has to follow, because the clock was set in between and the task may have been stored too
    ///   late to be moved with the others; `nil` if the clock was not set.
    func noteWrite(of id: TaskID, from before: WallClock.Reading, to after: WallClock.Reading) -> TaskStep? {
        // Nearly all writes: they need no lock.
        guard after.isSettling || before.changes != after.changes else { return nil }
        if after.isSettling { state.withLock { $0.note(before.offset, of: id, at: after) } }
        return before.changes == after.changes ? nil : .clockWasSet(from: before.offset)
    }
}

extension ClockAdjustment.State {
    /// Records the sum of jumps with which the ends of a task's waits agree.
    fileprivate mutating func note(_ offset: Duration, of id: TaskID, at reading: WallClock.Reading) {
        // A later change is being handled already, and this task was written before it.
        guard reading.settled.changes >= settled.changes else { return }
        if reading.settled != settled {
            settled = reading.settled
            offsets = [:]
        }
        offsets[id] = offset
    }
}
