package import TaskStore

/// What a client changes of a task that exists (`PATCH`): each part where it is not `nil`.
package struct TaskEdit: Sendable, Hashable {
    /// 0 to 9, higher first.
    package var priority: Int?
    /// Not to be started before; `.some(nil)` for as soon as it can be.
    package var notBefore: Timestamp??
    /// When it fails if it has not succeeded by then; `.some(nil)` for never.
    package var deadline: Timestamp??
    /// Labels by key; `nil` removes one.
    package var labels: [String: String?]
    /// The most that it may move, in bytes for each second; `.some(nil)` for as fast as it goes.
    package var bytesPerSecond: Int64??

    /// Creates an edit that changes nothing.
    package init() {
        labels = [:]
    }
}
