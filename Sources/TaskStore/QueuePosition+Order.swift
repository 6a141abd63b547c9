/// The order in which tasks are started: higher priorities first, then the older task.
extension QueuePosition: Comparable {
    package static func < (left: QueuePosition, right: QueuePosition) -> Bool {
        left.priority == right.priority ? left.id < right.id : left.priority > right.priority
    }
}
