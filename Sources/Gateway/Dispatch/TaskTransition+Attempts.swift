import TaskStore

/// The beginning and the end of attempts.
extension TaskTransition {
    mutating func start(_ record: TaskRecord, at now: Timestamp) {
        if record.state == .queued, record.isOverdue(at: now) {
            // Its turn came before the alarm did.
            effects = [.releasePlace]
            return refuse(record, at: now)
        }
        guard !record.isBlocked, var next = handle(.attemptStarted, record, at: now) else {
            // Canceled or suspended while it waited, started already, or not its turn: the place was taken in vain.
            effects = [.releasePlace]
            refusal = .illegal
            return
        }
        next.beginAttempt(at: now)
        store(next, insteadOf: record)
        effects = [.launch]
    }

    mutating func end(_ record: TaskRecord, with result: AttemptResult, at now: Timestamp) {
        let event: TaskEvent =
            if result.mayRestart {
                .attemptLost(mayResend: true)
            } else if result.succeeded {
                .attemptSucceeded
            } else {
                .attemptFailed(willRetry: result.retryAt != nil)
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
        case .waiting, .suspended:
            if let retryAt = result.retryAt { next.nextAttemptAt = retryAt }
            drop(result.body)
        case .scheduled, .running, .canceling:
            drop(result.body)
        }
        store(next, insteadOf: record)
        update?.redirects = result.redirects
    }

    private mutating func drop(_ body: StoredBody?) {
        if body?.location == .file { effects.append(.dropBody) }
    }

    // MARK: Times

    mutating func timeCame(_ record: TaskRecord, at now: Timestamp) {
        // A client may have put it off since.
        guard let dueAt = record.dueAt, dueAt <= now, var next = handle(.timeCame, record, at: now) else { return }
        next.readyAt = dueAt
        store(next, insteadOf: record)
        effects = [.enqueue]
    }

    mutating func deadlinePassed(_ record: TaskRecord, at now: Timestamp) {
        // A client may have moved it since.
        guard record.isOverdue(at: now) else { return }
        switch record.state {
        case .running: effects = [.endAttempt]
        case .suspended where record.hasOpenAttempt: effects = [.endAttempt]
        case .scheduled, .queued, .waiting, .suspended: refuse(record, at: now)
        case .canceling, .succeeded, .failed, .canceled: break
        }
    }

    /// Ends a task that is not under way, as its deadline has passed.
    private mutating func refuse(_ record: TaskRecord, at now: Timestamp) {
        guard var next = handle(.refused, record, at: now) else { return }
        next.result.error = TaskErrorDocument.deadlineExceeded
        store(next, insteadOf: record)
        withdraw(record)
    }
}
