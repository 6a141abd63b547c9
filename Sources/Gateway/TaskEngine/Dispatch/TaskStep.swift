import ErrandTaskStore
import ErrandTime

/// An event that changes a live task; the steps of a task run serially.
enum TaskStep: Sendable {
    /// The task has a slot, so an attempt begins.
    case start
    /// The attempt has ended.
    ///
    /// Indirect, as functions that suspend pass steps on.
    indirect case end(AttemptResult)
    /// The task cannot be started or retried before a time.
    ///
    /// Without effect if the task is queued since another time than `ifReadyAt`: it was decided for an earlier place in
    /// the queue.
    case putOff(until: Timestamp, ifReadyAt: Timestamp? = nil)
    /// The destination of the task fails, and the time is over in which attempts are made.
    case destinationFailed
    /// The clock was set; the remaining delay or pause stays the same.
    case clockWasSet
    /// The task's due time has come.
    case timeCame
    /// The task's deadline has passed.
    case deadlinePassed
    /// The preceding task of the ordering key has ended.
    case unblocked
    /// The content that the client sends separately is complete and stored.
    case contentArrived(TaskContent)
    /// The content that the client sends separately begins to arrive, and is passed on.
    ///
    /// Refused while the gateway stops.
    case contentBegan
    /// The content that is passed on will not be taken, as the gateway stops: its client sends it to the next process.
    case contentWithdrawn
    /// The client no longer sends the content that is passed on.
    case contentLost
    /// A client moves the task to the front of the queue, whatever its due time.
    case runNow
    /// A client edits the task, if its precondition is met.
    case edit(TaskEdit, ifRevision: @Sendable (TaskRecord) -> Bool)
    /// A client suspends the task.
    case suspend
    /// A client resumes the task.
    case resume
    /// A client cancels the task.
    case cancel
    /// A client cancels the task, and wants a retry to continue its partial file.
    case cancelKeepingPartialFile
    /// An operator cancels the task, unless an attempt is under way.
    case purge
}

extension TaskStep {
    /// True if the step records what has happened already, so that it is stored however long that takes.
    ///
    /// Any other step has an effect only once it is stored. If it cannot be stored because of its task alone
    /// (``ErrandTaskStore/TaskStoreError/isOfOneTask``), it is given up: the task stays as it is, and nothing is lost.
    var hasHappened: Bool {
        switch self {
        // The request was sent, and only the step has the outcome.
        case .end: true
        // Decisions, which follow again from the stored task at the next start.
        case .start, .putOff, .destinationFailed, .clockWasSet, .timeCame, .deadlinePassed, .unblocked: false
        // A client that still sends the content is told, and a task without content fails after the next start.
        case .contentArrived, .contentBegan, .contentWithdrawn, .contentLost: false
        // Commands, which do nothing before they are stored, and whose clients are told that they are not.
        case .runNow, .edit, .suspend, .resume, .cancel, .cancelKeepingPartialFile, .purge: false
        }
    }
}

/// The result of an attempt.
struct AttemptResult: Sendable {
    /// True if the response was received and passed validation.
    var succeeded: Bool
    /// True if the attempt failed only because it was suspended, and another may be made without harm.
    var mayRestart: Bool
    /// The pause before the next attempt after a failure; `nil` if this was the last.
    var retryPause: Duration?
    /// The item of `attempts`, a JSON object.
    var attempt: [UInt8]
    /// The redirects and challenges that were followed, in order.
    var hops: [StoredHop] = []
    /// The members of `response` (``TaskResult/response``), if a response was received.
    var response: [UInt8]?
    /// The `error` member, if the attempt failed.
    var error: [UInt8]?
    /// The content of the response.
    var body: StoredBody?
    /// The location of the response's object.
    var object: StoredObject
    /// The content of the request, if it was passed on while it arrived.
    var passedOn: TaskContent?

    /// Creates a result from its parts.
    init(
        succeeded: Bool, mayRestart: Bool = false, retryPause: Duration? = nil, attempt: [UInt8],
        response: [UInt8]? = nil, error: [UInt8]? = nil, body: StoredBody? = nil, object: StoredObject = .none
    ) {
        self.succeeded = succeeded
        self.mayRestart = mayRestart
        self.retryPause = retryPause
        self.attempt = attempt
        self.response = response
        self.error = error
        self.body = body
        self.object = object
    }
}
