import ErrandTaskStore
import ErrandTime

/// The progress of repeated walks through the tasks whose moments have come, each of which gets a step.
///
/// Walks are made in the order of the moments, and each begins where the last one has ended. So a task that stays in
/// its place after its step, because it cannot be read or its connection is being closed, is neither read again nor
/// remembered: only the position is. A task that was passed gets the step again if it was written since.
///
/// A value without a clock.
struct DueProgress: Sendable, Hashable {
    /// The last task that a walk has passed: it and all tasks before it have got the step.
    private(set) var passed: TaskMoment?
    /// The tasks that were passed and get the step again, with their moments.
    private var again: [TaskID: Timestamp] = [:]
    /// The latest moment of the walk that is under way.
    private var limit: Timestamp?

    /// The earliest moment at which a task that was passed gets the step again; `nil` if there is none.
    var nextAgain: Timestamp? { again.values.min() }

    /// Begins a walk up to the present.
    ///
    /// If the clock was set back, tasks whose moments are later than the present are no longer passed.
    ///
    /// - Returns: The tasks that were passed and get the step again now, earliest first.
    mutating func begin(at now: Timestamp) -> [TaskMoment] {
        limit = now
        passed = passed.map { min($0, .last(at: now)) }
        dropUnpassed()
        return again.map { TaskMoment(moment: $0.value, id: $0.key) }.filter { $0.moment <= now }.sorted()
    }

    /// Records that tasks that were passed get the step again; called before they get it.
    mutating func repeatStep(for tasks: some Sequence<TaskMoment>) {
        for task in tasks { again[task.id] = nil }
    }

    /// Passes the next tasks, up to the given one; called before they get the step, so that no later write is missed.
    mutating func pass(_ last: TaskMoment) {
        passed = max(passed ?? last, last)
    }

    /// Records that tasks that were passed have to get the step again.
    mutating func fail(_ tasks: some Sequence<TaskMoment>) {
        // A later write has recorded the moment that applies.
        for task in tasks { again[task.id] = again[task.id] ?? task.moment }
    }

    /// Ends the walk.
    mutating func end() {
        limit = nil
        dropUnpassed()
    }

    /// Records the moment of a task that was written.
    ///
    /// - Parameter moment: The moment; `nil` if it has none.
    mutating func note(_ id: TaskID, at moment: Timestamp?) {
        guard let moment else { return forget(id) }
        let task = TaskMoment(moment: moment, id: id)
        // The walk under way may have read the tasks around it, but not passed them.
        let isPassed = passed.map { task <= $0 } ?? false
        let isBeingPassed = limit.map { moment <= $0 } ?? false
        again[id] = isPassed || isBeingPassed ? moment : nil
    }

    /// Forgets a task that was removed.
    mutating func forget(_ id: TaskID) {
        again[id] = nil
    }

    /// Forgets the tasks that the next walk finds in their places.
    private mutating func dropUnpassed() {
        guard !again.isEmpty else { return }
        again = again.filter { entry in passed.map { TaskMoment(moment: entry.value, id: entry.key) <= $0 } ?? false }
    }
}
