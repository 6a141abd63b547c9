package import TaskStore

/// What a step makes of a task: a new record to be stored, and what is to be done once it is.
struct TaskTransition: Sendable {
    /// The task as it shall be stored; `nil` when nothing changes.
    var record: TaskRecord?
    /// The life after the step.
    private(set) var life: TaskLifecycle
    /// To be done after the record is stored, in this order.
    var effects: [Effect] = []
    /// The step does not belong to where the task is.
    var isRefused = false

    enum Effect: Hashable, Sendable {
        /// Send the request.
        case launch
        /// Have the attempt under way stand still.
        case standStill
        /// Have the attempt that stands still go on.
        case goOn
        /// Close the connection of the attempt at once.
        case closeConnection
        /// Let it wait for a place.
        case enqueue
        /// Take it out of the queue.
        case withdraw
        /// Give the place back that was taken for an attempt that does not begin.
        case releasePlace
        /// The attempt's body file belongs to nobody.
        case dropBody
    }

    /// Works out a step.
    ///
    /// Pure: time is a parameter.
    init(of step: TaskStep, on record: TaskRecord, at now: Timestamp) {
        life = record.life
        switch step {
        case .start: start(record, at: now)
        case .end(let result): end(record, with: result, at: now)
        case .suspend: suspend(record, at: now)
        case .resume: resume(record, at: now)
        case .cancel: cancel(record, at: now)
        case .purge: if record.life.isPending { cancel(record, at: now) } else { isRefused = true }
        }
    }

    /// Has the life cycle take in an event.
    ///
    /// - Returns: The task to be stored; `nil` when nothing changes.
    private mutating func handle(_ event: TaskEvent, _ record: TaskRecord, at now: Timestamp) -> TaskRecord? {
        switch life.handle(event) {
        case .none:
            return nil
        case .illegal:
            isRefused = true
            return nil
        case .changed:
            return record.changed(to: life, at: now)
        }
    }

    private mutating func start(_ record: TaskRecord, at now: Timestamp) {
        guard var next = handle(.attemptStarted, record, at: now) else {
            // Canceled or suspended while it waited, or started already: the place was taken in vain.
            effects = [.releasePlace]
            return
        }
        next.beginAttempt(at: now)
        self.record = next
        effects = [.launch]
    }

    private mutating func end(_ record: TaskRecord, with result: AttemptResult, at now: Timestamp) {
        let event: TaskEvent =
            if result.mayRestart {
                .attemptLost(mayResend: true)
            } else if result.succeeded {
                .attemptSucceeded
            } else {
                .attemptFailed(willRetry: false)
            }
        guard var next = handle(event, record, at: now) else { return }
        next.result.appendAttempt(result.attempt)
        switch life.state {
        case .succeeded, .failed:
            next.result.response = result.response
            next.result.error = result.error
            next.result.body = result.body
            next.result.object = result.object
        case .canceled:
            next.result.error = TaskErrorDocument.canceled
            drop(result.body)
        case .queued:
            effects = [.enqueue]
            drop(result.body)
        case .scheduled, .running, .waiting, .suspended, .canceling:
            drop(result.body)
        }
        self.record = next
    }

    private mutating func drop(_ body: StoredBody?) {
        if body?.location == .file { effects.append(.dropBody) }
    }

    private mutating func suspend(_ record: TaskRecord, at now: Timestamp) {
        self.record = handle(.suspendRequested, record, at: now)
        guard let next = self.record else { return }
        if next.hasOpenAttempt {
            effects = [.standStill]
        } else {
            withdraw(record)
        }
    }

    private mutating func withdraw(_ record: TaskRecord) {
        if record.state == .queued { effects = [.withdraw] }
    }

    private mutating func resume(_ record: TaskRecord, at now: Timestamp) {
        guard let next = handle(.resumeRequested(.ready), record, at: now) else { return }
        self.record = next
        effects = [next.hasOpenAttempt ? .goOn : .enqueue]
    }

    private mutating func cancel(_ record: TaskRecord, at now: Timestamp) {
        guard var next = handle(.cancelRequested, record, at: now) else { return }
        if life.state.isTerminal {
            next.result.error = TaskErrorDocument.canceled
            withdraw(record)
        } else {
            effects = [.closeConnection]
        }
        self.record = next
    }
}

extension TaskRecord {
    /// The record after a stored change.
    package func changed(to life: TaskLifecycle, at now: Timestamp) -> TaskRecord {
        var next = self
        next.life = life
        next.revision += 1
        next.updatedAt = now
        if life.state.isTerminal { next.finishedAt = now }
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
