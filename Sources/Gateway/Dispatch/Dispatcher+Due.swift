import Locking
import Logging
import TaskStore

/// What happens to tasks as time passes: they become due, or overdue.
extension Dispatcher {
    /// How many tasks whose time has come are handled together.
    private static let dueStep = 500
    /// How long the alarm waits when what has come up could not be done.
    private static let duePause = Duration.seconds(1)
    /// How long the alarm sleeps at most before it looks at the clock again, which may be set.
    private static let longestSleep = Duration.seconds(60)

    /// Begins to watch the time; what came up meanwhile comes first.
    func startAlarms() {
        let waker = Alarm<ContinuousClock.Instant>(
            clock: time.clock, remaining: { [time] in time.now.duration(to: $0) },
            ring: { [weak self] in
                self?.pump()
                return nil
            })
        let alarm = Alarm<Timestamp>(
            clock: time.clock, longestSleep: Self.longestSleep, remaining: { [now] in $0.duration(since: now()) },
            ring: { [weak self] in await self?.ringAlarm() })
        state.withLock { state in
            state.alarm = alarm
            state.waker = waker
        }
        alarm.set(to: now())
    }

    /// Ends watching the time.
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

    /// Has the alarm ring when the time of a task comes.
    func watch(_ record: TaskRecord) {
        guard !record.state.isTerminal else { return }
        let moments = [record.dueAt, record.deadline].compactMap { $0 }
        guard let next = moments.min() else { return }
        state.withLock { $0.alarm }?.set(to: next)
    }

    /// Does what is due, and tells when to look again.
    private func ringAlarm() async -> Timestamp? {
        let moment = now()
        do {
            try await handle(.deadlinePassed, Due.deadlines(store), at: moment)
            try await handle(.timeCame, Due.times(store), at: moment)
            return try await nextMoment()
        } catch {
            guard error.code != .closed else { return nil }
            logger.error("Due tasks could not be handled", metadata: ["error": "\(error)"])
            return now().adding(Self.duePause)
        }
    }

    /// Delivers a step to all tasks whose time has come, page by page.
    ///
    /// One that stays where it is (its connection is being closed, or it cannot be read) is passed over from then on, as
    /// those behind it must not wait.
    private func handle(_ step: TaskStep, _ due: Due, at moment: Timestamp) async throws(TaskStoreError) {
        while let passed = state.withLock({ $0.isOpen ? $0.passedOver : nil }) {
            // The clock may have been set back since: what is not due by it any more is not to be passed over.
            let moment = min(moment, now())
            let page = try await due.read(moment, Self.dueStep + passed.count).filter { !passed.contains($0) }
            guard !page.isEmpty else { return }
            // Before the step: what is stored of a task from now on takes it out again.
            state.withLock { $0.passedOver.formUnion(page) }
            do {
                let changed = try await deliver(step, to: page)
                let latest = min(moment, now())
                for id in page where !changed.contains(id) {
                    let record = try await unlessUnreadable(id) { () async throws(TaskStoreError) in try await task(id)
                    }
                    // Put off, or held by a client, since it was read: its time is another.
                    guard let record, due.moment(record).map({ $0 > latest }) ?? true else { continue }
                    _ = state.withLock { $0.passedOver.remove(id) }
                }
            } catch {
                state.withLock { $0.passedOver.subtract(page) }
                throw error
            }
        }
    }

    /// When something comes up next that was not passed over.
    private func nextMoment() async throws(TaskStoreError) -> Timestamp? {
        guard !state.withLock({ $0.passedOver.isEmpty }) else { return try await store.nextAlarm() }
        var moments: [Timestamp] = []
        for due in [Due.deadlines(store), Due.times(store)] {
            while let passed = state.withLock({ $0.isOpen ? $0.passedOver : nil }) {
                guard let id = try await due.read(.latest, passed.count + 1).first(where: { !passed.contains($0) })
                else { break }
                let record = try await unlessUnreadable(id) { () async throws(TaskStoreError) in try await task(id) }
                if let moment = record.flatMap(due.moment) {
                    moments.append(moment)
                    break
                }
                // Gone meanwhile, or nobody can tell its time.
                _ = state.withLock { $0.passedOver.insert(id) }
            }
        }
        return moments.min()
    }

    /// One of the things that time brings.
    private struct Due {
        /// Reads the tasks for which it has come at a moment, first come first.
        var read: (Timestamp, Int) async throws(TaskStoreError) -> [TaskID]
        /// When it comes for a task.
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
