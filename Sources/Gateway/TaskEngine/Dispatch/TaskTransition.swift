import ErrandJSON
import ErrandTaskStore
import ErrandTime

/// The result of a step: a change to be stored, and the effects to be performed afterwards.
struct TaskTransition: Sendable {
    /// The change to be stored; `nil` if nothing changes.
    var update: TaskUpdate?
    /// The life cycle after the step.
    var life: TaskLifecycle
    /// The effects to be performed after the change is stored, in this order.
    var effects: [Effect] = []
    /// The reason why the step is not done; `nil` if it is done or changes nothing.
    var refusal: Refusal?

    /// The task to be stored; `nil` if nothing changes.
    var record: TaskRecord? { update?.record }

    /// A reason why a step is not done.
    enum Refusal: Hashable, Sendable {
        /// The step is not allowed in the task's state.
        case illegal
        /// The client's precondition is not met.
        case precondition
        /// The task would not be valid, with these errors of the client's edit.
        case invalid([JSONProblem])
    }

    /// An action besides storing the change.
    enum Effect: Hashable, Sendable {
        /// Sends the request.
        case launch
        /// Suspends the current attempt.
        case suspendTransfer
        /// Resumes the suspended attempt.
        case resumeTransfer
        /// Closes the connection of the attempt at once.
        case closeConnection
        /// Ends the attempt because the task's deadline has passed.
        case endAttempt
        /// Limits the current attempt to a number of bytes per second; `nil` for no limit.
        case pace(Int64?)
        /// Adds the task to the queue.
        case enqueue
        /// Removes the task from its position in the queue.
        case withdraw
        /// Releases the slot that was taken for an attempt that does not begin.
        case releaseSlot
        /// Removes the attempt's body file, which no task refers to.
        case dropBody
        /// Removes the partial file of a task that was canceled.
        case dropPartialFile
        /// Removes the file with the content of the request, which no retry needs.
        case dropContent
    }

    /// Computes the result of a step.
    ///
    /// Pure: the time is a parameter.
    ///
    /// It is not inlined, so that the frames of asynchronous callers do not contain copies of the task's values.
    ///
    /// - Parameters:
    ///   - now: The present.
    ///   - offset: The sum of the jumps of the clock up to then, with which the ends of the task's waits agree
    ///     afterwards.
    ///   - completion: The additions to the task if the step ends it.
    @inline(never)
    init(
        of step: TaskStep, on record: TaskRecord, at now: Timestamp, clockOffset offset: Duration,
        _ completion: TaskCompletion = TaskCompletion()
    ) {
        life = record.life
        let stored = record
        let record = stored.movingWaits(to: offset)
        switch step {
        case .start: start(record, at: now)
        case .end(let result): end(record, with: result, at: now)
        case .putOff(let moment, let readyAt): putOff(record, until: moment, ifReadyAt: readyAt, at: now)
        case .destinationFailed: destinationFailed(record, at: now)
        case .clockWasSet: clockWasSet(stored, moved: record, at: now)
        case .timeCame: timeCame(stored, moved: record, at: now)
        case .deadlinePassed: deadlinePassed(record, at: now)
        case .unblocked: if record.state == .queued { effects = [.enqueue] }
        case .contentArrived(let content): contentArrived(record, content, at: now)
        case .contentBegan: contentBegan(record, at: now)
        case .contentWithdrawn: contentWithdrawn(record, at: now)
        case .contentLost: contentLost(record, at: now)
        case .runNow: runNow(record, at: now)
        case .edit(let edit, let isMet):
            if isMet(record) { self.edit(record, edit, at: now) } else { refusal = .precondition }
        case .suspend: suspend(record, at: now)
        case .resume: resume(record, at: now)
        case .cancel: cancel(record, at: now)
        case .cancelKeepingPartialFile: cancel(record, keepingPartialFile: true, at: now)
        case .purge: if record.life.isPending { cancel(record, at: now) } else { refusal = .illegal }
        }
        if var update {
            completion.complete(&update, at: now)
            self.update = update
            if life.state == .canceled, record.kind.handler.writesFiles, !update.record.keepsPartialFile {
                effects.append(.dropPartialFile)
            }
            if life.state.isTerminal, update.record.hasUnneededContent { effects.append(.dropContent) }
        }
    }

    /// Creates the result of a step that is refused whatever the state of the task.
    init(refusing record: TaskRecord) {
        life = record.life
        refusal = .illegal
    }

    /// Applies an event to the life cycle.
    ///
    /// - Returns: The values to be stored; `nil` if nothing changes.
    mutating func handle(_ event: TaskEvent, _ record: TaskRecord, at now: Timestamp) -> TaskRecord.Values? {
        switch life.handle(event) {
        case .none:
            return nil
        case .illegal:
            refusal = .illegal
            return nil
        case .changed:
            return record.values.changed(to: life, at: now)
        }
    }

    /// Sets the change: `next` replaces `record` in the store.
    mutating func store(_ next: TaskRecord.Values, insteadOf record: TaskRecord) {
        update = TaskUpdate(TaskRecord(next), expecting: record.revision)
        // Fast, as an unchanged result shares its bytes.
        update?.keepsResult = next.result == record.result
    }

    /// Removes the task from the queue, if it is queued.
    mutating func withdraw(_ record: TaskRecord) {
        if record.state == .queued { effects.append(.withdraw) }
    }
}

extension TaskRecord {
    /// Returns the task with the ends of its waits moved to another clock; times of day that a client has given stay.
    ///
    /// - Parameter offset: The sum of the jumps of that clock.
    func movingWaits(to offset: Duration) -> TaskRecord {
        let jump = offset - clockOffset
        guard jump != .zero else { return self }
        var moved = self
        moved.change { next in
            next.clockOffset = offset
            guard !state.isTerminal else { return }
            // A pause that `not_before` has extended ends at that time of day.
            if isDelayed || nextAttemptAt != notBefore { next.nextAttemptAt = nextAttemptAt?.adding(jump) }
            // Also of a task that no longer waits for it, which may be suspended and resumed.
            if isDelayed { next.notBefore = notBefore?.adding(jump) }
            if let until = content?.awaitedUntil { next.content = .awaited(until: until.adding(jump)) }
        }
        return moved
    }

    /// True if content that the client has sent separately, or a part of it, is in a file that an ended task needs no
    /// longer.
    fileprivate var hasUnneededContent: Bool {
        switch content {
        case nil, .passedOn: false
        case .awaited: true
        // A retry of a failed task sends its content again.
        case .stored: state != .failed
        }
    }

    /// Returns true if the deadline is not later than a moment.
    func isOverdue(at now: Timestamp) -> Bool {
        self.deadline.map { $0 <= now } ?? false
    }
}

extension TaskRecord.Values {
    /// Returns the values after a stored change.
    func changed(to life: TaskLifecycle, at now: Timestamp) -> Self {
        var next = self
        next.life = life
        next.revision += 1
        next.updatedAt = now
        if life.state.isTerminal { next.finishedAt = now }
        if !life.state.mayBackOff { next.nextAttemptAt = nil }
        return next
    }

    /// Records that an attempt begins.
    mutating func beginAttempt(at now: Timestamp) {
        attemptCount += 1
        startedAt = startedAt ?? now
    }
}

extension TaskResult {
    /// Adds an item to the `attempts` member.
    mutating func appendAttempt(_ attempt: [UInt8]) {
        if !attempts.isEmpty { attempts.append(UInt8(ascii: ",")) }
        attempts += attempt
    }
}

extension TaskState {
    /// True if a pause between two attempts may be under way; the pause also applies to a suspended task.
    fileprivate var mayBackOff: Bool {
        switch self {
        case .waiting, .suspended: true
        case .scheduled, .queued, .running, .canceling, .succeeded, .failed, .canceled: false
        }
    }
}
