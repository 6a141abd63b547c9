import ErrandLocking
import ErrandTaskStore
import ErrandTime
import Logging

/// Delivers the steps of tasks that become due or overdue, at their times.
///
/// It has one alarm, set to the earliest known moment, and reads the due tasks from the store page by page: tasks that
/// wait cost no memory. The dispatcher starts and stops it, and reports each stored task. While the gateway stops, it
/// handles deadlines only, as long as attempts may end. Any thread.
final class DueTimer: Sendable {
    /// The number of due tasks that are handled together.
    private static let step = 500
    /// The number of due tasks of one kind of moment that may fail in a ring, which ends with them.
    private static let mostFailures = 4 * step
    /// The pause of the alarm after due tasks could not be handled.
    private static let pause = Duration.seconds(1)
    /// The longest sleep of the alarm before it reads the clock again, which may have been set.
    private static let longestSleep = Duration.seconds(60)

    private let context: TaskContext
    private let state = Mutex(State())

    private struct State {
        /// Fires when a task becomes due or overdue; `nil` unless tasks are started.
        var alarm: Alarm<Timestamp>?
        /// Due tasks on which the step had no effect: they cannot be read, or their connections are being closed.
        var skipped: Set<TaskID> = []
    }

    /// Creates a timer that does nothing until it is started.
    init(_ context: TaskContext) {
        self.context = context
        context.wall.add(self)
    }

    /// Starts the alarm; tasks that became due in the meantime are handled first.
    ///
    /// - Parameter steps: Delivers the steps; held weakly.
    func start(_ steps: any StepDelivery) {
        let alarm = Alarm<Timestamp>(
            clock: context.time.clock, longestSleep: Self.longestSleep,
            remaining: { [now = context.now] in $0.duration(since: now()) },
            ring: { [weak self, weak steps] in
                guard let self, let steps else { return nil }
                return await ring(steps)
            })
        state.withLock { $0.alarm = alarm }
        alarm.set(to: context.now())
    }

    /// Stops the alarm; returns when the running action has ended.
    func stop() async {
        let alarm = state.withLock { state in
            defer { state.alarm = nil }
            return state.alarm
        }
        await alarm?.stop()
    }

    /// Sets the alarm to the time at which a task becomes due or overdue.
    func watch(_ record: TaskRecord) {
        guard !record.state.isTerminal else { return }
        let moments = [record.dueAt, record.deadline].compactMap { $0 }
        guard let next = moments.min() else { return }
        state.withLock { $0.alarm }?.set(to: next)
    }

    /// Records that a change of a task was stored: its times may be others, and it is no longer skipped.
    func didWrite(_ record: TaskRecord) {
        forget(record.id)
        watch(record)
    }

    /// Forgets a task that was removed.
    func forget(_ id: TaskID) {
        _ = state.withLock { $0.skipped.remove(id) }
    }

    /// Looks for due tasks now.
    ///
    /// Called when the clock was set, and when the waits of tasks were moved after that: the moment that the alarm
    /// sleeps for may have come, or be further away.
    func check() {
        state.withLock { $0.alarm }?.set(to: .earliest)
    }

    // MARK: Due tasks

    /// Handles due and overdue tasks.
    ///
    /// Those that cannot be handled now do not stop the others, and are handled again after a pause.
    ///
    /// - Returns: The moment of the next check; `nil` if there is none.
    private func ring(_ steps: any StepDelivery) async -> Timestamp? {
        let moment = context.now()
        do {
            let (overdue, due) = (Due.deadlines(context.store), Due.times(context.store))
            var failures = try await deliver(.deadlinePassed, to: overdue, except: [:], at: moment, steps)
            // The ends of delays and back-offs are being moved and may seem to have passed: ``check()`` follows when
            // they are moved. Deadlines are times of day, which are not moved.
            let isSettling = context.wall.isSettling
            if !isSettling { failures = try await deliver(.timeCame, to: due, except: failures, at: moment, steps) }
            guard let (id, error) = failures.first else {
                return try await isSettling ? nextMoment(of: [overdue], steps) : nextMoment(steps)
            }
            context.logger.error(
                "Due tasks could not be handled",
                metadata: [
                    "tasks": .stringConvertible(failures.count), "task": "\(id)", "error": "\(error)",
                ])
        } catch {
            guard error.code != .closed else { return nil }
            context.logger.error("Due tasks could not be handled", metadata: ["error": "\(error)"])
        }
        return context.now().adding(Self.pause)
    }

    /// Delivers a step to all tasks whose time has come, page by page.
    ///
    /// A task that the step does not change (its connection is being closed, or it cannot be read) is skipped from then
    /// on, so that the tasks behind it need not wait. A task that fails is skipped until the alarm rings again.
    ///
    /// - Parameter failed: The tasks that have failed in this ring.
    /// - Returns: These and those that have failed now, with the reasons.
    private func deliver(
        _ step: TaskStep, to due: Due, except failed: [TaskID: TaskStoreError], at moment: Timestamp,
        _ steps: any StepDelivery
    ) async throws(TaskStoreError) -> [TaskID: TaskStoreError] {
        var failures = failed
        while isHandled(due, steps), failures.count - failed.count < Self.mostFailures {
            let passed = state.withLock { $0.skipped }.union(failures.keys)
            // The clock may have been set back since: tasks that are no longer due must not be skipped.
            let moment = min(moment, context.now())
            let page = try await due.read(moment, Self.step + passed.count).filter { !passed.contains($0) }
            guard !page.isEmpty else { break }
            // Before the step, because storing a change of a task takes it out of this set.
            state.withLock { $0.skipped.formUnion(page) }
            let troubles = await deliver(step, to: page, of: due, at: moment, steps)
            state.withLock { $0.skipped.subtract(troubles.keys) }
            if let closed = troubles.values.first(where: { $0.code == .closed }) { throw closed }
            failures.merge(troubles) { $1 }
        }
        return failures
    }

    /// Delivers a step to due tasks, and skips no longer those that are not due any more.
    ///
    /// - Returns: The tasks that failed, with the reasons.
    private func deliver(
        _ step: TaskStep, to page: [TaskID], of due: Due, at moment: Timestamp, _ steps: any StepDelivery
    ) async -> [TaskID: TaskStoreError] {
        let outcome = await steps.deliver(step, to: page)
        var failures = outcome.failures
        let latest = min(moment, context.now())
        for id in page where !outcome.changed.contains(id) && failures[id] == nil {
            do throws(TaskStoreError) {
                guard let found = try await found(id) else { continue }
                // Postponed or suspended by a client since it was read, so that its time is another, or removed before
                // it was skipped.
                guard found.record.flatMap(due.moment).map({ $0 > latest }) ?? true else { continue }
                forget(id)
            } catch {
                failures[id] = error
            }
        }
        return failures
    }

    /// Returns the next moment at which a task that is not skipped becomes due or overdue.
    private func nextMoment(_ steps: any StepDelivery) async throws(TaskStoreError) -> Timestamp? {
        if steps.isOpen, state.withLock({ $0.skipped.isEmpty }) { return try await context.store.nextAlarm() }
        return try await nextMoment(of: [Due.deadlines(context.store), Due.times(context.store)], steps)
    }

    /// Returns the next moment of some kinds at which a task that is not skipped becomes due or overdue.
    private func nextMoment(of kinds: [Due], _ steps: any StepDelivery) async throws(TaskStoreError) -> Timestamp? {
        var moments: [Timestamp] = []
        for due in kinds {
            // Those that were changed since they were read: ``didWrite(_:)`` sets the alarm to their moments.
            var seen: Set<TaskID> = []
            while isHandled(due, steps) {
                let passed = state.withLock { $0.skipped }.union(seen)
                // A page, as many tasks may be sealed with a missing key.
                let page = try await due.read(.latest, Self.step + passed.count).filter { !passed.contains($0) }
                guard !page.isEmpty else { break }
                if let moment = try await moment(of: due, among: page) {
                    moments.append(moment)
                    break
                }
                seen.formUnion(page)
            }
        }
        return moments.min()
    }

    /// Returns the moment of the first task that has one, and skips those before it that cannot be read; `nil` if none
    /// has.
    private func moment(of due: Due, among page: [TaskID]) async throws(TaskStoreError) -> Timestamp? {
        for id in page {
            if let moment = try await foundOrSkipped(id)?.record.flatMap(due.moment) { return moment }
        }
        return nil
    }

    private func isHandled(_ due: Due, _ steps: any StepDelivery) -> Bool {
        due.isForAttempts ? !context.isAbandoned : steps.isOpen
    }

    /// A task that can be read, or is gone.
    private struct Found: Sendable {
        /// The task; `nil` if it is gone.
        var record: TaskRecord?
    }

    /// Returns a task; `nil` if it cannot be read.
    private func found(_ id: TaskID) async throws(TaskStoreError) -> Found? {
        try await context.unlessUnreadable(id) { () async throws(TaskStoreError) -> Found? in
            Found(record: try await context.task(id))
        }
    }

    /// Returns a task; skips it and returns `nil` if it cannot be read.
    private func foundOrSkipped(_ id: TaskID) async throws(TaskStoreError) -> Found? {
        // Before it is read, because its removal takes it out of this set.
        _ = state.withLock { $0.skipped.insert(id) }
        do throws(TaskStoreError) {
            guard let found = try await found(id) else { return nil }
            forget(id)
            return found
        } catch {
            forget(id)
            throw error
        }
    }

    /// A kind of moment that tasks wait for: the deadline or the due time.
    private struct Due {
        /// Reads the tasks whose moment is not later than a time, earliest first.
        var read: (Timestamp, Int) async throws(TaskStoreError) -> [TaskID]
        /// Returns the moment of a task.
        var moment: (TaskRecord) -> Timestamp?
        /// True if the moment matters to attempts under way, which go on while the gateway stops.
        var isForAttempts: Bool

        static func deadlines(_ store: any TaskStore) -> Due {
            Due(
                read: { (moment, limit) async throws(TaskStoreError) in
                    try await store.overdue(at: moment, limit: limit)
                }, moment: \.deadline, isForAttempts: true)
        }

        static func times(_ store: any TaskStore) -> Due {
            Due(
                read: { (moment, limit) async throws(TaskStoreError) in
                    try await store.due(at: moment, limit: limit)
                }, moment: \.dueAt, isForAttempts: false)
        }
    }
}

extension DueTimer: WallClockObserver {
    /// Looks for tasks whose deadline has passed by the clock as it was set.
    func clockWasSet(_ change: WallClock.Change) {
        check()
    }
}
