package import ErrandTime

/// A position in the order in which queued tasks of a session start.
///
/// Higher priorities start first, and waiting time counts: each priority level is worth ``priorityStep`` of waiting.
/// Tasks of priority 9 overtake a task of priority 0 only if they become ready within two hours and a quarter after it.
/// The order of two tasks never changes while they wait, so that an index can store it.
package struct QueuePosition: Sendable {
    /// The sort key, lower first: the time since which the task waits, in milliseconds, minus the value of its
    /// priority.
    package var rank: Int64
    /// The task at this position.
    package var id: TaskID
    /// The time since which the task waits, which is not a part of the order; `nil` for a position that was read from
    /// the store's index, which does not have it.
    package private(set) var readyAt: Timestamp?

    /// The waiting time that one priority level is worth.
    package static let priorityStep = Duration.seconds(15 * 60)

    /// Creates a position from a stored rank.
    package init(rank: Int64, id: TaskID) {
        self.rank = rank
        self.id = id
    }

    /// Creates the position of a task.
    ///
    /// - Parameters:
    ///   - priority: 0 to 9, higher first.
    ///   - readyAt: The time since which it waits.
    ///   - id: The task.
    package init(priority: Int, readyAt: Timestamp, id: TaskID) {
        // Wraps for a damaged task only.
        self.init(rank: readyAt.milliseconds &- Int64(priority) &* Self.stepMilliseconds, id: id)
        self.readyAt = readyAt
    }

    private static let stepMilliseconds = priorityStep.components.seconds * 1000
}

extension QueuePosition: Hashable {
    package static func == (left: QueuePosition, right: QueuePosition) -> Bool {
        left.rank == right.rank && left.id == right.id
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(rank)
        hasher.combine(id)
    }
}

/// Sorts by rank, lower first, then by age, older first.
extension QueuePosition: Comparable {
    package static func < (left: QueuePosition, right: QueuePosition) -> Bool {
        left.rank == right.rank ? left.id < right.id : left.rank < right.rank
    }
}
