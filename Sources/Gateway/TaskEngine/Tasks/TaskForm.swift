/// The place of a task document, which determines some of its allowed members.
package enum TaskForm: Sendable, Hashable {
    /// The content of a request, with the idempotency key in a header.
    case single
    /// An item of a batch, with its own idempotency key.
    case batchItem
    /// Part of a schedule, from which a task is created at each of its times.
    case schedule

    /// The members that the form does not allow, with the reason.
    var refused: [String: String] {
        switch self {
        case .single: Self.refusedAlone
        case .batchItem: Self.refusedAnywhere
        case .schedule: Self.refusedInSchedule
        }
    }

    private static let refusedAnywhere = ["download": "download tasks are not available in this version"]

    private static let refusedAlone = refusedAnywhere.merging([
        TaskClaim.member: "use the header Idempotency-Key for the key of a single task"
    ]) { $1 }

    private static let refusedInSchedule = refusedAnywhere.merging([
        TaskClaim.member: "a schedule creates a new task each time, without a key",
        "not_before": "a schedule has its own times; use delay, which counts from each of them",
        "deadline": "a schedule creates tasks repeatedly, which cannot share a deadline",
    ]) { $1 }
}
