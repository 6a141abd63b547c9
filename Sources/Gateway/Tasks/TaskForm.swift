/// Where a task document stands, which decides about some of its members.
enum TaskForm: Sendable, Hashable {
    /// It is the content of a request: its idempotency key is a header of that.
    case single
    /// It is an item of a batch, and has its key with it.
    case batchItem
    /// It is part of a schedule, and made into a task at each of its times.
    case schedule

    /// The members that the form does not have, with the reason.
    var refused: [String: String] {
        var refused = ["download": "download tasks are not available in this version"]
        switch self {
        case .single:
            refused[TaskClaim.member] = "the key of a single task is the header Idempotency-Key"
        case .batchItem:
            break
        case .schedule:
            refused[TaskClaim.member] = "a schedule makes another task each time"
            refused["not_before"] = "a schedule has times of its own; delay counts from each of them"
            refused["deadline"] = "a schedule makes tasks again and again, which have no deadline in common"
        }
        return refused
    }
}
