package import ErrandTime

/// A client's changes to an existing task (`PATCH`): parts that are `nil` stay as they are.
package struct TaskEdit: Sendable, Hashable {
    /// The priority, 0 to 9, higher first.
    package var priority: Int?
    /// The earliest start; `.some(nil)` for as soon as possible.
    package var notBefore: Timestamp??
    /// The time at which the task fails if it has not succeeded; `.some(nil)` for none.
    package var deadline: Timestamp??
    /// Labels by key; `nil` removes a label.
    package var labels: [String: String?]
    /// The transfer rate limit in bytes per second; `.some(nil)` for no limit.
    package var bytesPerSecond: Int64??

    /// Creates an edit that changes nothing.
    package init() {
        labels = [:]
    }
}
