/// A place in the order in which the queued tasks of a session are started.
package struct QueuePosition: Sendable, Hashable {
    /// The priority, 9 first.
    package var priority: Int
    /// The task there.
    package var id: TaskID

    /// Creates a position.
    package init(priority: Int, id: TaskID) {
        self.priority = priority
        self.id = id
    }
}

/// The order in which tasks are started: higher priorities first, then the older task.
extension QueuePosition: Comparable {
    package static func < (left: QueuePosition, right: QueuePosition) -> Bool {
        left.priority == right.priority ? left.id < right.id : left.priority > right.priority
    }
}
