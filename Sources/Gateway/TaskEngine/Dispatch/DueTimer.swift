import ErrandTaskStore

/// Delivers the steps of tasks that become due or overdue, at their times.
///
/// Deadlines have an alarm of their own, so that many due tasks, or some whose changes cannot be stored, delay none.
/// The dispatcher starts and stops both, and reports each stored task. While the gateway stops, only deadlines are
/// handled, as long as attempts may end. Any thread.
final class DueTimer: Sendable {
    private let deadlines: DueAlarm
    private let dueTimes: DueAlarm

    /// Creates a timer that does nothing until it is started.
    init(_ context: TaskContext) {
        deadlines = DueAlarm(.deadlines, context)
        dueTimes = DueAlarm(.dueTimes, context)
        context.wall.add(self)
    }

    /// Starts the alarms; tasks that became due in the meantime are handled first.
    ///
    /// - Parameter steps: Delivers the steps; held weakly.
    func start(_ steps: any StepDelivery) {
        deadlines.start(steps)
        dueTimes.start(steps)
    }

    /// Stops the alarms; returns when their running actions have ended.
    func stop() async {
        async let others: Void = deadlines.stop()
        await dueTimes.stop()
        await others
    }

    /// Sets the alarms to the times at which a task becomes due or overdue, as it or a change of it was stored.
    func watch(_ record: TaskRecord) {
        deadlines.watch(record)
        dueTimes.watch(record)
    }

    /// Forgets a task that was removed.
    func forget(_ id: TaskID) {
        deadlines.forget(id)
        dueTimes.forget(id)
    }

    /// Looks for due tasks now.
    ///
    /// Called when the clock was set, and when the waits of tasks were moved after that: the moment that the alarms
    /// sleep for may have come, or be further away.
    func check() {
        deadlines.check()
        dueTimes.check()
    }
}

extension DueTimer: WallClockObserver {
    /// Looks for tasks whose deadline has passed by the clock as it was set.
    func clockWasSet(_ change: WallClock.Change) {
        check()
    }
}
