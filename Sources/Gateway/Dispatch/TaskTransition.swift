package import TaskStore

/// What a step makes of a task: a change to be stored, and what is to be done once it is.
struct TaskTransition: Sendable {
    /// What is to be stored; `nil` when nothing changes.
    var update: TaskUpdate?
    /// The life after the step.
    var life: TaskLifecycle
    /// To be done after the change is stored, in this order.
    var effects: [Effect] = []
    /// Why nothing is done; `nil` when something is, or it was so already.
    var refusal: Refusal?

    /// The task as it shall be stored; `nil` when nothing changes.
    var record: TaskRecord? { update?.record }

    /// Why a step is not done.
    enum Refusal: Hashable, Sendable {
        /// It does not belong to where the task is.
        case illegal
        /// The task is not as the client believed.
        case precondition
    }

    /// What is to be done beside storing.
    enum Effect: Hashable, Sendable {
        /// Send the request.
        case launch
        /// Have the attempt under way stand still.
        case standStill
        /// Have the attempt that stands still go on.
        case goOn
        /// Close the connection of the attempt at once.
        case closeConnection
        /// Close it as the task's deadline has passed.
        case endAttempt
        /// Have the attempt under way move so many bytes in a second at most; `nil` for as many as it can.
        case pace(Int64?)
        /// Let it wait for a place.
        case enqueue
        /// Take it out of the queue, where it had this place.
        case withdraw(QueuePosition)
        /// Give the place back that was taken for an attempt that does not begin.
        case releasePlace
        /// The attempt's body file belongs to nobody.
        case dropBody
    }

    /// Works out a step.
    ///
    /// Pure: time is a parameter.
    ///
    /// - Parameter completion: What is added to a task that ends with it.
    init(
        of step: TaskStep, on record: TaskRecord, at now: Timestamp, _ completion: TaskCompletion = TaskCompletion()
    ) {
        life = record.life
        switch step {
        case .start: start(record, at: now)
        case .end(let result): end(record, with: result, at: now)
        case .timeCame: timeCame(record, at: now)
        case .deadlinePassed: deadlinePassed(record, at: now)
        case .unblocked: if record.state == .queued { effects = [.enqueue] }
        case .runNow: runNow(record, at: now)
        case .edit(let edit, let isMet):
            if isMet(record) { self.edit(record, edit, at: now) } else { refusal = .precondition }
        case .suspend: suspend(record, at: now)
        case .resume: resume(record, at: now)
        case .cancel: cancel(record, at: now)
        case .purge: if record.life.isPending { cancel(record, at: now) } else { refusal = .illegal }
        }
        if var update {
            completion.complete(&update, at: now)
            self.update = update
        }
    }

    /// Has the life cycle take in an event.
    ///
    /// - Returns: The task to be stored; `nil` when nothing changes.
    mutating func handle(_ event: TaskEvent, _ record: TaskRecord, at now: Timestamp) -> TaskRecord? {
        switch life.handle(event) {
        case .none:
            return nil
        case .illegal:
            refusal = .illegal
            return nil
        case .changed:
            return record.changed(to: life, at: now)
        }
    }

    /// The task is to be stored in place of what it was.
    mutating func store(_ next: TaskRecord, insteadOf record: TaskRecord) {
        update = TaskUpdate(next, expecting: record.revision)
    }

    /// The task waits no more for a place, if it did.
    mutating func withdraw(_ record: TaskRecord) {
        if record.state == .queued { effects.append(.withdraw(record.queuePosition)) }
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
        if !life.state.mayBackOff { next.nextAttemptAt = nil }
        return next
    }

    /// Notes that an attempt begins.
    package mutating func beginAttempt(at now: Timestamp) {
        attemptCount += 1
        startedAt = startedAt ?? now
    }

    /// Its deadline is not later than a moment.
    func isOverdue(at now: Timestamp) -> Bool {
        deadline.map { $0 <= now } ?? false
    }
}

extension TaskResult {
    /// Adds an item to the `attempts` member.
    package mutating func appendAttempt(_ attempt: [UInt8]) {
        if !attempts.isEmpty { attempts.append(UInt8(ascii: ",")) }
        attempts += attempt
    }
}

extension TaskState {
    /// Whether a pause between two attempts may be under way: also a suspended task has to sit out the rest of it.
    fileprivate var mayBackOff: Bool {
        switch self {
        case .waiting, .suspended: true
        case .scheduled, .queued, .running, .canceling, .succeeded, .failed, .canceled: false
        }
    }
}
