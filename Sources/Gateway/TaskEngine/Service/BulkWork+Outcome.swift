package import ErrandTaskStore

/// The outcomes of bulk work.
extension BulkWork {
    /// The outcome of a bulk request, or its part for one task.
    package struct Outcome: Sendable {
        /// The number of tasks that match the filter.
        package var matched = 0
        /// The number of tasks that were changed.
        package var changed = 0
        /// The number of tasks that the same request would change if it were not a dry run.
        package var wouldChange = 0
        /// The error that ended the work early.
        package var error: TaskStoreError?
        /// The reason for which tasks that could be retried were not, the first if there are several.
        ///
        /// The work goes on, unless the gateway is stopping: the queues of other sessions may have room.
        package var refusal: TaskCreationOutcome.Refusal?
    }
}

extension TaskStoreError {
    /// The error of bulk work whose caller would not be admitted any more.
    package static let callerIsGone = TaskStoreError(
        .canceled, "The token was removed, replaced or restricted during the call")
}

extension BulkWork.Outcome {
    /// The task does not exist, or the caller must not see it.
    static let missing = Self()
    static let unchanged = Self(matched: 1)
    static let changed = Self(matched: 1, changed: 1)
    static let wouldChange = Self(matched: 1, wouldChange: 1)

    /// True if no further task is tried.
    var isOver: Bool { error != nil || isStopped }

    /// True if the work ends because the gateway is stopping.
    private var isStopped: Bool { if case .stopping? = refusal { true } else { false } }

    static func failed(_ error: TaskStoreError) -> Self {
        Self(matched: 1, error: error)
    }

    /// Creates the part of a task on which a command was tried.
    init(of outcome: TaskCommandOutcome) {
        self =
            switch outcome {
            case .done(_, let isChanged): isChanged ? .changed : .unchanged
            case .refused, .preconditionFailed, .invalid: .unchanged
            case .notFound: .missing
            }
    }

    /// Adds the part of a task.
    mutating func add(_ part: Self) {
        matched += part.matched
        changed += part.changed
        wouldChange += part.wouldChange
        error = error ?? part.error
        // That the gateway is stopping concerns all tasks.
        if refusal == nil || part.isStopped { refusal = part.refusal }
    }
}
