package import TaskStore

/// What is done to a live task, one step after the other.
enum TaskStep: Sendable {
    /// It has a place: begin an attempt.
    case start
    /// Its attempt has ended.
    case end(AttemptResult)
    /// A client wants it canceled.
    case cancel
}

/// What came of an attempt.
package struct AttemptResult: Sendable {
    /// The response came and passed validation.
    package var succeeded: Bool
    /// The item of `attempts`, a JSON object.
    package var attempt: [UInt8]
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
        succeeded: Bool, attempt: [UInt8], response: [UInt8]? = nil, error: [UInt8]? = nil, body: StoredBody? = nil,
        object: StoredObject = .none
    ) {
        self.succeeded = succeeded
        self.attempt = attempt
        self.response = response
        self.error = error
        self.body = body
        self.object = object
    }
}

/// What a step makes of a task: a new record to be stored, and what is to be done once it is.
struct TaskTransition: Sendable {
    /// The task as it shall be stored; `nil` when nothing changes.
    var record: TaskRecord?
    /// The life that goes with it.
    var life: TaskLifecycle
    /// To be done after the record is stored, in this order.
    var effects: [Effect] = []
    /// The step does not belong to where the task is.
    var isRefused = false

    enum Effect: Hashable, Sendable {
        /// Send the request.
        case launch
        /// Close the connection of the attempt at once.
        case closeConnection
        /// Give the place back that was taken for an attempt that does not begin.
        case releasePlace
        /// The attempt's body file belongs to nobody.
        case dropBody
    }

    /// Works out a step.
    ///
    /// Pure: time is a parameter.
    init(of step: TaskStep, on record: TaskRecord, life: TaskLifecycle, at now: Timestamp) {
        self.life = life
        switch step {
        case .start: start(record, at: now)
        case .end(let result): end(record, with: result, at: now)
        case .cancel: cancel(record, at: now)
        }
    }

    private mutating func start(_ record: TaskRecord, at now: Timestamp) {
        guard life.handle(.attemptStarted) == .changed else {
            // Canceled while it waited, or started already: the place was taken in vain.
            effects = [.releasePlace]
            isRefused = true
            return
        }
        var next = record.changed(to: life.state, at: now)
        next.beginAttempt(at: now)
        self.record = next
        effects = [.launch]
    }

    private mutating func end(_ record: TaskRecord, with result: AttemptResult, at now: Timestamp) {
        let effect = life.handle(result.succeeded ? .attemptSucceeded : .attemptFailed(willRetry: false))
        guard effect == .changed else {
            isRefused = true
            return
        }
        var next = record.changed(to: life.state, at: now)
        next.result.appendAttempt(result.attempt)
        if life.state == .canceled {
            next.result.error = TaskErrorDocument.canceled
            if result.body?.location == .file { effects = [.dropBody] }
        } else {
            next.result.response = result.response
            next.result.error = result.error
            next.result.body = result.body
            next.result.object = result.object
        }
        self.record = next
    }

    private mutating func cancel(_ record: TaskRecord, at now: Timestamp) {
        switch life.handle(.cancelRequested) {
        case .none:
            break
        case .illegal:
            isRefused = true
        case .changed:
            var next = record.changed(to: life.state, at: now)
            if life.state.isTerminal {
                next.result.error = TaskErrorDocument.canceled
            } else {
                effects = [.closeConnection]
            }
            self.record = next
        }
    }
}

extension TaskRecord {
    /// The record after a stored change.
    package func changed(to state: TaskState, at now: Timestamp) -> TaskRecord {
        var next = self
        next.state = state
        next.revision += 1
        next.updatedAt = now
        if state.isTerminal { next.finishedAt = now }
        return next
    }

    /// Notes that an attempt begins.
    package mutating func beginAttempt(at now: Timestamp) {
        attemptCount += 1
        startedAt = startedAt ?? now
    }
}

extension TaskResult {
    /// Adds an item to the `attempts` member.
    package mutating func appendAttempt(_ attempt: [UInt8]) {
        if !attempts.isEmpty { attempts.append(UInt8(ascii: ",")) }
        attempts += attempt
    }
}
