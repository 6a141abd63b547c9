import ErrandJSON
import ErrandTaskStore
import ErrandTime

/// The operations of clients.
extension TaskTransition {
    mutating func suspend(_ record: TaskRecord, at now: Timestamp) {
        guard let next = handle(.suspendRequested, record, at: now) else { return }
        store(next, insteadOf: record)
        if next.hasOpenAttempt {
            effects = [.suspendTransfer]
        } else {
            withdraw(record)
        }
    }

    mutating func resume(_ record: TaskRecord, at now: Timestamp) {
        guard var next = handle(.resumeRequested(record.values.readiness(at: now)), record, at: now) else { return }
        // No time passes for a suspended task.
        if record.awaitsContent { next.awaitContent(from: now) }
        if next.state == .queued { next.readyAt = next.readiedAt(now) }
        store(next, insteadOf: record)
        switch next.state {
        case .running: effects = [.resumeTransfer]
        case .queued: effects = [.enqueue]
        case .scheduled, .waiting, .suspended, .canceling, .succeeded, .failed, .canceled: break
        }
    }

    mutating func cancel(_ record: TaskRecord, keepingPartialFile keepsFile: Bool = false, at now: Timestamp) {
        guard var next = handle(.cancelRequested, record, at: now) else { return }
        next.keepsPartialFile = keepsFile && record.kind.handler.writesFiles
        if life.state.isTerminal {
            next.result.error = TaskErrorDocument.canceled
            withdraw(record)
        } else {
            effects = [.closeConnection]
        }
        store(next, insteadOf: record)
    }

    /// Stores the content that a client has sent separately, and queues the task unless it waits for something else.
    mutating func contentArrived(_ record: TaskRecord, _ content: TaskContent, at now: Timestamp) {
        guard record.awaitsContent else {
            refusal = .illegal
            return
        }
        var next = record.values
        next.content = content
        queueIfReady(next, insteadOf: record, at: now)
    }

    /// Queues a task whose content begins to arrive and is passed on.
    ///
    /// The task must be able to start: its client would be kept waiting otherwise.
    mutating func contentBegan(_ record: TaskRecord, at now: Timestamp) {
        var next = record.values
        next.content = nil
        guard record.awaitsContent, record.state == .scheduled, next.readiness(at: now) == .ready else {
            refusal = .illegal
            return
        }
        queueIfReady(next, insteadOf: record, at: now)
    }

    /// Makes a task wait for its content again, whose client is sending it but which no attempt has taken.
    ///
    /// An open attempt goes on with the content that it has. No-op for a task that waits for its content already.
    mutating func contentWithdrawn(_ record: TaskRecord, at now: Timestamp) {
        guard !record.awaitsContent else { return }
        guard record.content == nil, life.handle(.contentWithdrawn) != .illegal else {
            refusal = .illegal
            return
        }
        var next = record.values.changed(to: life, at: now)
        // The pause after a failed attempt is over before a client can send the content again.
        next.nextAttemptAt = nil
        next.awaitContent(from: now)
        store(next, insteadOf: record)
        withdraw(record)
    }

    /// Stores a task that no longer waits for its content.
    private mutating func queueIfReady(
        _ values: TaskRecord.Values, insteadOf record: TaskRecord, at now: Timestamp
    ) {
        var next = values
        if record.state == .scheduled, next.readiness(at: now) == .ready {
            next.readyAt = now
            _ = life.handle(.timeCame)
        }
        store(next.changed(to: life, at: now), insteadOf: record)
        if life.state == .queued { effects = [.enqueue] }
    }

    mutating func runNow(_ record: TaskRecord, at now: Timestamp) {
        guard !record.awaitsContent else {
            refusal = .illegal
            return
        }
        if var next = handle(.runNowRequested, record, at: now) {
            // The client's time no longer applies, even if the task is suspended and resumed later.
            next.notBefore = next.notBefore.map { min($0, now) }
            next.readyAt = .earliest
            store(next, insteadOf: record)
            effects = [.enqueue]
        } else if record.state == .queued, record.readyAt != .earliest {
            var next = record.values.changed(to: life, at: now)
            next.readyAt = .earliest
            store(next, insteadOf: record)
            effects = [.withdraw, .enqueue]
        }
    }

    // MARK: Edit

    mutating func edit(_ record: TaskRecord, _ edit: TaskEdit, at now: Timestamp) {
        guard record.life.isPending || record.life.hasOpenAttempt && record.state != .canceling,
            record.life.isPending || edit.notBefore == nil
        else {
            refusal = .illegal
            return
        }
        var next = edit.applied(to: record.values)
        guard next != record.values else { return }
        // Another edit may have been stored since this one was read and checked.
        let faults = edit.faults(of: next, at: now)
        guard faults.isEmpty else {
            refusal = .invalid(faults.map { JSONProblem(JSONPointer([$0.member]), $0.detail) })
            return
        }
        if next.notBefore != record.notBefore { postpone(&next, from: record.notBefore, at: now) }
        next = next.changed(to: life, at: now)
        store(next, insteadOf: record)
        update?.changesLabels = next.labels != record.labels
        let isMoved = next.state != record.state || next.queuePosition != record.queuePosition
        if isMoved { withdraw(record) }
        if isMoved, next.state == .queued { effects.append(.enqueue) }
        if next.hasOpenAttempt, next.bytesPerSecond != record.bytesPerSecond {
            effects.append(.pace(next.bytesPerSecond))
        }
    }

    /// Moves a task to the state that its new `notBefore` requires.
    private mutating func postpone(_ next: inout TaskRecord.Values, from former: Timestamp?, at now: Timestamp) {
        switch next.state {
        case .queued where next.readiness(at: now) == .early:
            _ = life.handle(.postponed)
        case .scheduled where next.readiness(at: now) != .early:
            next.readyAt = now
            _ = life.handle(.timeCame)
        case .waiting:
            next.extendPause(from: former, at: now)
        case .suspended where next.nextAttemptAt != nil:
            // It was suspended between two attempts.
            next.extendPause(from: former, at: now)
        case .scheduled, .queued, .running, .suspended, .canceling, .succeeded, .failed, .canceled:
            break
        }
    }
}

extension TaskRecord.Values {
    /// Extends the pause between two attempts to the new `notBefore`.
    ///
    /// The pause is never shortened, except by the end of an earlier extension.
    fileprivate mutating func extendPause(from former: Timestamp?, at now: Timestamp) {
        let end = nextAttemptAt == former ? now : nextAttemptAt ?? now
        nextAttemptAt = max(notBefore ?? end, end)
    }

    /// Returns the time from which a resumed task has waited for its slot, which may have been changed meanwhile.
    fileprivate func readiedAt(_ now: Timestamp) -> Timestamp {
        guard readyAt != .earliest, let notBefore else { return min(readyAt, now) }
        return min(max(readyAt, notBefore), now)
    }

    /// Returns the reason why a task that no client has suspended waits.
    func readiness(at now: Timestamp) -> TaskEvent.Readiness {
        if content?.awaitedUntil != nil { return .early }
        // Includes a later `notBefore`, by which the pause was extended. A pause that is over ends as that of any other
        // task: by its timer, after which it looks for a token of the retry budget.
        if nextAttemptAt != nil { return .backingOff }
        if let notBefore, notBefore > now { return .early }
        return .ready
    }
}
