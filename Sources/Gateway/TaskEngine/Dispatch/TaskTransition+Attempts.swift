import ErrandTaskStore
import ErrandTime

/// The start and the end of attempts.
extension TaskTransition {
    mutating func start(_ record: TaskRecord, at now: Timestamp) {
        if record.state == .queued, record.isOverdue(at: now) {
            // The slot became free before the deadline alarm fired.
            effects = [.releaseSlot]
            return refuse(record, at: now)
        }
        guard !record.isBlocked, var next = handle(.attemptStarted, record, at: now) else {
            // The task was canceled, suspended or started while it waited, or it is not its turn: the slot is not
            // needed.
            effects = [.releaseSlot]
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
                .attemptFailed(willRetry: result.retryPause != nil)
            }
        guard var next = handle(event, record, at: now) else { return }
        next.result.appendAttempt(result.attempt)
        switch life.state {
        case .succeeded, .failed:
            next.result.response = result.response
            next.result.error = result.error
            next.result.body = result.body
            next.result.object = result.object
            if let content = result.passedOn { next.content = content }
        case .canceled:
            next.result.error = TaskErrorDocument.canceled
            if let content = result.passedOn { next.content = content }
            drop(result.body)
        case .queued:
            effects = [.enqueue]
            next.useUpRunNow(at: now)
            drop(result.body)
        case .waiting, .suspended:
            if let pause = result.retryPause { next.nextAttemptAt = now.adding(pause) }
            next.useUpRunNow(at: now)
            drop(result.body)
        case .scheduled, .running, .canceling:
            drop(result.body)
        }
        store(next, insteadOf: record)
        update?.hops = result.hops
    }

    private mutating func drop(_ body: StoredBody?) {
        if body?.location == .file { effects.append(.dropBody) }
    }

    // MARK: Times

    /// Queues a task whose time has come.
    ///
    /// - Parameters:
    ///   - stored: The task as it is stored.
    ///   - record: The task with its waits moved to the present clock.
    mutating func timeCame(_ stored: TaskRecord, moved record: TaskRecord, at now: Timestamp) {
        // A client may have postponed it, or sent its content, since. A wait that ends later by the present clock is
        // stored so: the timer would not find its end otherwise.
        guard let dueAt = record.dueAt, dueAt <= now else { return clockWasSet(stored, moved: record, at: now) }
        guard !record.awaitsContent else { return refuse(record, with: TaskErrorDocument.contentMissing, at: now) }
        guard var next = handle(.timeCame, record, at: now) else { return }
        // A client wants it at once, and it was postponed before it could begin.
        let isAtOnce = record.state == .waiting && record.readyAt == .earliest
        next.readyAt = isAtOnce ? .earliest : dueAt
        store(next, insteadOf: record)
        effects = [.enqueue]
    }

    /// Fails a task that has no open attempt; an open one learns of the end of the content itself.
    mutating func contentLost(_ record: TaskRecord, at now: Timestamp) {
        guard record.life.isPending, record.content == nil else {
            refusal = .illegal
            return
        }
        refuse(record, with: TaskErrorDocument.contentIncomplete, at: now)
    }

    mutating func putOff(
        _ record: TaskRecord, until moment: Timestamp, ifReadyAt readyAt: Timestamp?, at now: Timestamp
    ) {
        // A client may have told it to run at once since, or suspended or canceled it.
        if record.state == .queued, let readyAt, record.readyAt != readyAt { return }
        guard life.handle(.putOff) != .illegal else { return }
        var next = record.values.changed(to: life, at: now)
        next.nextAttemptAt = moment
        store(next, insteadOf: record)
        withdraw(record)
    }

    /// Fails a task whose destination has failed for too long.
    mutating func destinationFailed(_ record: TaskRecord, at now: Timestamp) {
        // A client may have suspended it, or moved its start, since.
        guard record.state == .queued || record.state == .waiting else { return }
        refuse(record, with: TaskErrorDocument.destinationFailed, at: now)
    }

    /// Stores a task whose waits were moved, if it has any.
    mutating func clockWasSet(_ record: TaskRecord, moved: TaskRecord, at now: Timestamp) {
        guard
            moved.nextAttemptAt != record.nextAttemptAt || moved.notBefore != record.notBefore
                || moved.content != record.content
        else { return }
        store(moved.values.changed(to: life, at: now), insteadOf: record)
    }

    mutating func deadlinePassed(_ record: TaskRecord, at now: Timestamp) {
        // A client may have moved the deadline since.
        guard record.isOverdue(at: now) else { return }
        switch record.state {
        case .running: effects = [.endAttempt]
        case .suspended where record.hasOpenAttempt: effects = [.endAttempt]
        case .scheduled, .queued, .waiting, .suspended: refuse(record, at: now)
        case .canceling, .succeeded, .failed, .canceled: break
        }
    }

    /// Fails a task that has no open attempt, by default because its deadline has passed.
    private mutating func refuse(
        _ record: TaskRecord, with error: [UInt8] = TaskErrorDocument.deadlineExceeded, at now: Timestamp
    ) {
        guard var next = handle(.refused, record, at: now) else { return }
        next.result.error = error
        store(next, insteadOf: record)
        withdraw(record)
    }
}

extension TaskRecord.Values {
    /// Lets the task wait like any other from now on if a client wanted it at once: its attempt has ended or was lost.
    mutating func useUpRunNow(at now: Timestamp) {
        if readyAt == .earliest { readyAt = now }
    }
}
