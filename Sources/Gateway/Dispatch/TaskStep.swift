package import TaskStore

/// What is done to a live task, one step after the other.
enum TaskStep: Sendable {
    /// It has a place: begin an attempt.
    case start
    /// Its attempt has ended.
    case end(AttemptResult)
    /// The time that it waits for has come.
    case timeCame
    /// Its deadline has passed.
    case deadlinePassed
    /// The task before it in its ordering key is done.
    case unblocked
    /// A client wants it next, whatever its time.
    case runNow
    /// A client changes it, if it is as he believes.
    case edit(TaskEdit, ifRevision: @Sendable (TaskRecord) -> Bool)
    /// A client wants it to stand still.
    case suspend
    /// A client wants it to go on.
    case resume
    /// A client wants it canceled.
    case cancel
    /// An operator wants it canceled, unless it is under way.
    case purge
}

/// What came of an attempt.
package struct AttemptResult: Sendable {
    /// The response came and passed validation.
    package var succeeded: Bool
    /// It failed only as it was suspended, and another may be made without harm.
    package var mayRestart: Bool
    /// It failed, and another is to be made then; `nil` when this was the last.
    package var retryAt: Timestamp?
    /// The item of `attempts`, a JSON object.
    package var attempt: [UInt8]
    /// The redirects that it has followed, JSON objects in their order.
    package var redirects: [[UInt8]] = []
    /// The members of `response` (``TaskResult/response``), when a response came.
    package var response: [UInt8]?
    /// The `error` member, when it failed.
    package var error: [UInt8]?
    /// The content of the response.
    package var body: StoredBody?
    /// Where the object of the response is.
    package var object: StoredObject

    /// Creates a result from its parts.
    package init(
        succeeded: Bool, mayRestart: Bool = false, retryAt: Timestamp? = nil, attempt: [UInt8],
        response: [UInt8]? = nil, error: [UInt8]? = nil, body: StoredBody? = nil, object: StoredObject = .none
    ) {
        self.succeeded = succeeded
        self.mayRestart = mayRestart
        self.retryAt = retryAt
        self.attempt = attempt
        self.response = response
        self.error = error
        self.body = body
        self.object = object
    }
}
