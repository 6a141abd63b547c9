package import ErrandTime

/// A task at a moment of its own: the time at which it is due, its deadline, its end, or the end of its retention.
package struct TaskMoment: Sendable, Hashable {
    /// The moment.
    package var moment: Timestamp
    /// The task.
    package var id: TaskID

    /// Creates a value from its parts.
    package init(moment: Timestamp, id: TaskID) {
        self.moment = moment
        self.id = id
    }

    /// Returns a position that is not before that of any task with this moment.
    package static func last(at moment: Timestamp) -> TaskMoment {
        TaskMoment(moment: moment, id: .last(at: .latest))
    }
}

/// Sorts by moment, earlier first, then by the age of the task, older first: the order in which a store returns them.
extension TaskMoment: Comparable {
    package static func < (left: TaskMoment, right: TaskMoment) -> Bool {
        left.moment == right.moment ? left.id < right.id : left.moment < right.moment
    }
}
