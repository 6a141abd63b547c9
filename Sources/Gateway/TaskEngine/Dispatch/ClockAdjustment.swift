import ErrandLocking
import ErrandTaskStore
import ErrandTime
import Logging

/// Adjusts tasks when the system's clock was set.
///
/// Delays and back-offs are durations: their remaining time stays the same. `not_before` and deadlines are times of day
/// and follow the clock. Retention times are not shortened while the process runs.
///
/// The store knows the sum of all jumps of the clock (``StoredClock``), and each task has the sum with which its waits
/// were worked out. A step that finds another sum first moves the waits by the difference, and stores the present sum
/// with them: none is moved twice, however often the clock is set and the process ends. A walk through the tasks that
/// wait delivers such a step to each, so that the store finds them at their times.
///
/// The dispatcher reports the changes of the clock, and each stored task. Any thread.
final class ClockAdjustment: Sendable {
    /// The number of tasks that are moved together.
    static let step = 500

    private let context: TaskContext
    /// Moves the waits for one change after the other.
    private let changes = SerialQueue()
    /// Stores one reading of the clock after the other, so that the last one stays.
    private let writes = SerialQueue()
    private let state = Mutex(State())

    private struct State {
        /// True if the clock of the last run is known.
        var isPrepared = false
        /// True if tasks are started.
        var isStarted = false
        /// True if no further page of tasks is moved, as the gateway ends.
        var isStopped = false
        /// The number of the change of the clock with which the waits of all tasks agree; `nil` if they may not.
        var settledChange: Int?
        /// True if the clock is about to be stored because of a task that was stored late.
        var isStoringSoon = false
    }

    /// Creates an adjustment of tasks before any change of the clock.
    init(_ context: TaskContext) {
        self.context = context
    }

    // MARK: The start

    /// Determines whether the clock was set back since the last run, and stores that at once.
    ///
    /// Called before any event is stored: its time would hide that the clock was set back.
    func prepare() async throws(TaskStoreError) {
        let stored = try await context.store.clock()
        let last = try await lastTime(stored)
        let now = context.wall.reading
        // The jumps that this process has noticed are counted by themselves.
        let lead = last.duration(since: now.time.adding(.zero - now.offset))
        let setback = lead > WallClock.tolerance ? lead : .zero
        if setback > .zero {
            context.logger.warning("The system's clock was set back since the last run", metadata: ["by": "\(setback)"])
        }
        context.wall.resume(from: stored.offset, setBackBy: setback)
        let reading = context.wall.reading
        let isStored = reading.offset == stored.offset
        state.withLock { state in
            state.isPrepared = true
            if isStored, stored.isSettled { state.settledChange = reading.changes }
        }
        if !isStored { try await store() }
    }

    /// Returns the last time of the last run that is known.
    private func lastTime(_ stored: StoredClock) async throws(TaskStoreError) -> Timestamp {
        let newest = try await context.store.eventBounds().newest
        // The time of an earlier event may be one of the clock before it was set.
        guard newest > stored.newestEvent else { return stored.at }
        do throws(TaskStoreError) {
            let last = try await context.store.events(after: newest - 1, task: nil, limit: 1).first
            return max(last?.at ?? stored.at, stored.at)
        } catch {
            guard error.code == .corrupt else { throw error }
            // It does not prevent the start.
            context.logger.error(
                "The last event cannot be read; it is not known whether the clock was set back",
                metadata: ["error": "\(error.debugDescription)"])
            return stored.at
        }
    }

    /// Moves the ends of waits that do not agree with the present clock.
    func start(_ steps: any StepDelivery) {
        let settled = state.withLock { state in
            state.isStarted = true
            return state.settledChange
        }
        guard settled != context.wall.reading.changes else { return }
        context.wall.willHandleChange()
        Task {
            await handleChange(steps)
            context.wall.didHandleChange()
        }
    }

    // MARK: Changes

    /// Handles a change of the clock: stores it, and moves the ends of waits that were worked out before it.
    func clockWasSet(_ change: WallClock.Change, _ steps: any StepDelivery) async {
        context.logger.warning("The system's clock was set", metadata: ["by": "\(change.jump)"])
        await handleChange(steps)
    }

    /// Ends the walk under way behind its present page, and waits for that; the next start moves the rest.
    ///
    /// Changes of the clock are still stored.
    func stop() async {
        state.withLock { $0.isStopped = true }
        await changes.run { () async -> Void in }
        await writes.run { () async -> Void in }
    }

    /// True if no further page of tasks is moved, as the gateway ends.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Stores the present clock, and moves the waits that do not agree with it.
    ///
    /// The clock is stored at once, also while the waits are moved for an earlier change: steps store the new sum
    /// already. A change before the start is handled by ``prepare()`` and ``start(_:)``.
    private func handleChange(_ steps: any StepDelivery) async {
        await storeClock()
        await changes.run { [self] in
            if state.withLock({ $0.isStarted }) { await moveWaits(steps) }
        }
    }

    /// Moves the ends of the waits of all tasks, from the newest to the oldest.
    ///
    /// If the gateway ends meanwhile, the next start moves the rest; if the clock is set again, the next walk does. A
    /// task that cannot be read or changed is moved by its first step once it can.
    private func moveWaits(_ steps: any StepDelivery) async {
        // In this order: a task with a higher identifier is worked out with this reading or a later one, or gets a step
        // of its own.
        let change = context.wall.reading.changes
        var end = context.ids.next()
        var (moved, isLast) = (0, false)
        while !isLast {
            guard !isStopped, context.wall.reading.changes == change, let page = await waits(below: end),
                let count = await move(page, steps)
            else { return }
            moved += count
            end = page.last ?? end
            isLast = page.count < Self.step
        }
        state.withLock { $0.settledChange = change }
        await storeClock()
        context.logger.notice(
            "Adjusted the times of waiting tasks to the changed clock", metadata: ["tasks": .stringConvertible(moved)])
    }

    /// Returns the next page of tasks that wait; `nil` if the gateway ends.
    private func waits(below end: TaskID) async -> [TaskID]? {
        var query = TaskQuery()
        query.states = [.scheduled, .waiting, .suspended]
        query.pageSize = Self.step
        query.after = end
        return await context.retryingStoreErrors("reading tasks that wait") { [query] () async throws(TaskStoreError) in
            try await context.store.identifiers(query, for: .dispatcher)
        }
    }

    /// Moves the ends of the waits of a page; returns the number of moved tasks, or `nil` if the gateway ends.
    ///
    /// A task whose end is being stored is passed: the step that follows its end moves it, or the recovery of the next
    /// start does.
    private func move(_ page: [TaskID], _ steps: any StepDelivery) async -> Int? {
        var rest = page
        var moved = 0
        return await context.retryingStoreErrors("moving the ends of pauses") {
            () async throws(TaskStoreError) -> Int in
            let outcome = await steps.deliver(.clockWasSet, to: rest)
            moved += outcome.changed.count
            if let failure = outcome.failure, failure.code == .closed { throw failure }
            rest = rest.filter { outcome.failures[$0] != nil && !outcome.ending.contains($0) }
            if let failure = outcome.failure, !rest.isEmpty { throw failure }
            return moved
        }
    }

    // MARK: The stored clock

    /// Stores the present clock.
    private func store() async throws(TaskStoreError) {
        try await writes.run { [self] () async throws(TaskStoreError) -> Void in
            let reading = context.wall.reading
            let isSettled = state.withLock { $0.settledChange == reading.changes }
            try await context.store.setClock(
                StoredClock(offset: reading.offset, isSettled: isSettled, at: reading.time))
        }
    }

    /// Stores the present clock, once the clock of the last run is known; repeats it after a failure.
    private func storeClock() async {
        guard state.withLock({ $0.isPrepared }) else { return }
        do throws(TaskStoreError) {
            // Also when the gateway ends.
            try await store()
        } catch {
            _ = await context.retryingStoreErrors("storing that the clock was set") {
                () async throws(TaskStoreError) -> Void in
                try await store()
            }
        }
    }

    // MARK: Stored tasks

    /// Returns the step that has to follow a stored task, if the clock was set since its waits were worked out.
    ///
    /// A walk may have passed the task before it was stored.
    func step(after record: TaskRecord) -> TaskStep? {
        guard record.clockOffset != context.wall.reading.offset else { return nil }
        // Its event has a time of the clock as it was, which the next start must not compare with its own.
        let isFirst = state.withLock { state in
            defer { state.isStoringSoon = true }
            return !state.isStoringSoon
        }
        if isFirst {
            Task {
                state.withLock { $0.isStoringSoon = false }
                await storeClock()
            }
        }
        return .clockWasSet
    }
}
