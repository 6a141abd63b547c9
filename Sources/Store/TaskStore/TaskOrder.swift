package import ErrandTime

/// The order of the tasks in a list, by the name in the API.
package enum TaskOrder: String, Sendable, Hashable, CaseIterable {
    /// By creation, newest first.
    case newestFirst = "-created_at"
    /// By creation, oldest first.
    case oldestFirst = "created_at"
    /// By end, latest first; unfinished tasks are not listed.
    case lastFinished = "-finished_at"
    /// By end, earliest first; unfinished tasks are not listed.
    case firstFinished = "finished_at"

    /// True if the tasks are sorted by their end, and by their identifier if that is equal.
    package var isByEnd: Bool { self == .lastFinished || self == .firstFinished }

    /// True if the highest values come first.
    package var isDescending: Bool { self == .newestFirst || self == .lastFinished }
}

extension TaskQuery {
    /// Moves the beginning of the page behind a task.
    ///
    /// - Parameters:
    ///   - id: The last task before the page.
    ///   - finishedAt: The time of its end; `nil` if it has not ended.
    package mutating func start(after id: TaskID, finishedAt: Timestamp?) {
        after = id
        afterEnd = order.isByEnd ? finishedAt : nil
    }
}
