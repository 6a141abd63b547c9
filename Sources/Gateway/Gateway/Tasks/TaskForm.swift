/// The place of a task document, which determines some of its allowed members.
enum TaskForm: Sendable, Hashable {
    /// The content of a request, with the idempotency key in a header.
    case single
    /// An item of a batch, with its own idempotency key.
    case batchItem
    /// Part of a schedule, from which a task is created at each of its times.
    case schedule

    /// The members that the form does not allow, with the reason.
    var refused: [String: String] {
        var refused = ["download": "download tasks are not available in this version"]
        switch self {
        case .single:
            refused[TaskClaim.member] = "use the header Idempotency-Key for the key of a single task"
        case .batchItem:
            break
        case .schedule:
            refused[TaskClaim.member] = "a schedule creates a new task each time, without a key"
            refused["not_before"] = "a schedule has its own times; use delay, which counts from each of them"
            refused["deadline"] = "a schedule creates tasks repeatedly, which cannot share a deadline"
        }
        return refused
    }
}
