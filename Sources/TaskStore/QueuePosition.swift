/// A place in the order in which the queued tasks of a session are started.
///
/// Higher priorities go first, and waiting counts: each level of priority is worth ``priorityStep`` of it, so that a task
/// of priority 0 is overtaken by those of priority 9 for two hours and a quarter, and by none that comes later. The
/// order of two tasks never changes while they wait, which lets an index keep it.
package struct QueuePosition: Sendable, Hashable {
    /// What decides, lower first: the moment since which it waits, in milliseconds, less what its priority is worth.
    package var rank: Int64
    /// The task there.
    package var id: TaskID

    /// How much earlier a task counts for each level of its priority.
    package static let priorityStep = Duration.seconds(15 * 60)

    /// Creates a position from a rank as it was stored.
    package init(rank: Int64, id: TaskID) {
        self.rank = rank
        self.id = id
    }

    /// Creates the position of a task.
    ///
    /// - Parameters:
    ///   - priority: 0 to 9, higher first.
    ///   - readyAt: Since when it waits.
    ///   - id: The task.
    package init(priority: Int, readyAt: Timestamp, id: TaskID) {
        self.init(rank: readyAt.milliseconds - Int64(priority) * Self.stepMilliseconds, id: id)
    }

    private static let stepMilliseconds = priorityStep.components.seconds * 1000
}

/// The order in which tasks are started: the lower rank first, then the older task.
extension QueuePosition: Comparable {
    package static func < (left: QueuePosition, right: QueuePosition) -> Bool {
        left.rank == right.rank ? left.id < right.id : left.rank < right.rank
    }
}
