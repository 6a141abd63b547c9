import ErrandLocking
import ErrandTaskStore
import ErrandTime
import Logging

/// Tasks that become due or overdue.
extension Dispatcher {
    /// The number of due tasks that are handled together.
    private static let dueStep = 500
    /// The pause of the alarm after due tasks could not be handled.
    private static let duePause = Duration.seconds(1)
    /// The longest sleep of the alarm before it reads the clock again, which may have been set.
    private static let longestSleep = Duration.seconds(60)

    /// Starts the alarms; tasks that became due in the meantime are handled first.
    func startAlarms() {
        let waker = Alarm<ContinuousClock.Instant>(
            clock: context.time.clock, remaining: { [time = context.time] in time.now.duration(to: $0) },
            ring: { [weak self] in
                self?.startReadyTasks()
                return nil
            })
        let alarm = Alarm<Timestamp>(
            clock: context.time.clock, longestSleep: Self.longestSleep,
            remaining: { [now = context.now] in $0.duration(since: now()) },
            ring: { [weak self] in await self?.ringAlarm() })
        state.withLock { state in
            state.alarm = alarm
            state.waker = waker
        }
        alarm.set(to: context.now())
    }

    /// Stops the alarms.
    func stopAlarms() async {
        let (alarm, waker) = state.withLock { state in
            defer {
                state.alarm = nil
                state.waker = nil
            }
            return (state.alarm, state.waker)
        }
        await alarm?.stop()
        await waker?.stop()
    }

    /// Sets the alarm to the time at which a task becomes due or overdue.
    func watch(_ record: TaskRecord) {
        guard !record.state.isTerminal else { return }
        let moments = [record.dueAt, record.deadline].compactMap { $0 }
        guard let next = moments.min() else { return }
        state.withLock { $0.alarm }?.set(to: next)
    }

    /// Handles due and overdue tasks.
    ///
    /// - Returns: The moment of the next check; `nil` if there is none.
    private func ringAlarm() async -> Timestamp? {
        let moment = context.now()
        // The ends of delays and back-offs are being moved and may seem to have passed: ``clockHasSettled()`` sets the
        // alarm again.
        guard !context.wall.isSettling else { return nil }
        do {
            try await handle(.deadlinePassed, Due.deadlines(context.store), at: moment)
            try await handle(.timeCame, Due.times(context.store), at: moment)
            return try await nextMoment()
        } catch {
            guard error.code != .closed else { return nil }
            context.logger.error("Due tasks could not be handled", metadata: ["error": "\(error)"])
            return context.now().adding(Self.duePause)
        }
    }

    /// Delivers a step to all tasks whose time has come, page by page.
    ///
    /// A task that the step does not change (its connection is being closed, or it cannot be read) is skipped from then
    /// on, so that the tasks behind it need not wait.
    private func handle(_ step: TaskStep, _ due: Due, at moment: Timestamp) async throws(TaskStoreError) {
        while let passed = state.withLock({ $0.isOpen ? $0.skipped : nil }) {
            // The clock may have been set back since: tasks that are no longer due must not be skipped.
            let moment = min(moment, context.now())
            let page = try await due.read(moment, Self.dueStep + passed.count).filter { !passed.contains($0) }
            guard !page.isEmpty else { return }
            // Before the step, because storing a change of a task takes it out of this set.
            state.withLock { $0.skipped.formUnion(page) }
            do {
                let changed = try await deliver(step, to: page)
                let latest = min(moment, context.now())
                for id in page where !changed.contains(id) {
                    let record = try await context.unlessUnreadable(id) { () async throws(TaskStoreError) in
                        try await context.task(id)
                    }
                    // Postponed or suspended by a client since it was read, so that its time is another.
                    guard let record, due.moment(record).map({ $0 > latest }) ?? true else { continue }
                    _ = state.withLock { $0.skipped.remove(id) }
                }
            } catch {
                state.withLock { $0.skipped.subtract(page) }
                throw error
            }
        }
    }

    /// Returns the next moment at which a task that is not skipped becomes due or overdue.
    private func nextMoment() async throws(TaskStoreError) -> Timestamp? {
        guard !state.withLock({ $0.skipped.isEmpty }) else { return try await context.store.nextAlarm() }
        var moments: [Timestamp] = []
        for due in [Due.deadlines(context.store), Due.times(context.store)] {
            while let passed = state.withLock({ $0.isOpen ? $0.skipped : nil }) {
                guard let id = try await due.read(.latest, passed.count + 1).first(where: { !passed.contains($0) })
                else { break }
                let record = try await context.unlessUnreadable(id) { () async throws(TaskStoreError) in
                    try await context.task(id)
                }
                if let moment = record.flatMap(due.moment) {
                    moments.append(moment)
                    break
                }
                // Deleted in the meantime, or its time cannot be read.
                _ = state.withLock { $0.skipped.insert(id) }
            }
        }
        return moments.min()
    }

    /// A kind of moment that tasks wait for: the deadline or the due time.
    private struct Due {
        /// Reads the tasks whose moment is not later than a time, earliest first.
        var read: (Timestamp, Int) async throws(TaskStoreError) -> [TaskID]
        /// Returns the moment of a task.
        var moment: (TaskRecord) -> Timestamp?

        static func deadlines(_ store: any TaskStore) -> Due {
            Due(
                read: { (moment, limit) async throws(TaskStoreError) in
                    try await store.overdue(at: moment, limit: limit)
                }, moment: \.deadline)
        }

        static func times(_ store: any TaskStore) -> Due {
            Due(
                read: { (moment, limit) async throws(TaskStoreError) in
                    try await store.due(at: moment, limit: limit)
                }, moment: \.dueAt)
        }
    }
}
