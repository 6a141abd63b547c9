package import ErrandTaskStore

/// The parts of a task that only the document of a single task shows, because each is read separately.
package struct TaskDetails: Sendable {
    /// The last delivery of its callback; `nil` without one.
    package var delivery: TaskRecord?
    /// The number of bytes that its next attempt does not request again; `nil` if they were not read.
    package var resumableBytes: Int64?

    /// Creates details; none by default.
    package init(delivery: TaskRecord? = nil, resumableBytes: Int64? = nil) {
        self.delivery = delivery
        self.resumableBytes = resumableBytes
    }

    /// True if nothing was read.
    var isEmpty: Bool { delivery == nil && resumableBytes == nil }
}
