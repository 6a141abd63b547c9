import ErrandLocking
import ErrandSessionCore
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime

/// The creation of tasks.
extension Dispatcher {
    /// A task to be created, with its request if that is prepared already.
    typealias Creation = (task: NewTask, prepared: PreparedRequest?)

    /// Creates a task; it is stored when this returns.
    ///
    /// - Parameter creation: The task, scheduled, queued or suspended.
    func create(_ creation: Creation) async throws(TaskStoreError) -> TaskCreationOutcome {
        guard let answer = await create([creation]).first else {
            throw TaskStoreError(.unexpected, "Creating a task returned no result")
        }
        return try answer.get()
    }

    /// Creates tasks in one durable write; each succeeds or fails on its own.
    ///
    /// - Returns: The outcome of each task, in the same order.
    func create(_ tasks: [Creation]) async -> [Result<TaskCreationOutcome, TaskStoreError>] {
        let limits: QueueLimits
        do {
            limits = try await queueLimits(of: tasks)
        } catch {
            return tasks.map { _ in .failure(error) }
        }
        let arrivals = state.withLock { state in tasks.map { state.accept($0, limits, at: context.monotonic.now) } }
        var accepted: [NewTask] = []
        accepted.reserveCapacity(arrivals.count)
        for case .accepted(let task) in arrivals { accepted.append(task) }
        var insertions = accepted.isEmpty ? [] : (await context.store.insert(accepted))[...]
        var answers: [Result<TaskCreationOutcome, TaskStoreError>] = []
        answers.reserveCapacity(tasks.count)
        for (creation, arrival) in zip(tasks, arrivals) {
            switch arrival {
            case .refused(let refusal):
                // The owner of an idempotency key gets its earlier result, even if a new task would be refused.
                if let earlier = await earlier(
                    creation.task.idempotency, keysExpiredBy: creation.task.keysExpiredBy)
                {
                    answers.append(earlier)
                    continue
                }
                if case .queueFull(let session, _) = refusal {
                    context.log.queueWasFull(of: session, maxQueued: limits.sessions[session]?.maxQueued)
                }
                answers.append(.success(.refused(refusal)))
            case .accepted(let task):
                let missing = TaskStoreError(.unexpected, "The store returned no result for an inserted task")
                answers.append(await finishInsertion(task.record, insertions.popFirst() ?? .failure(missing)))
            }
        }
        startReadyTasks()
        return answers
    }

    /// Stores a task with the change of a schedule; its steps wait until ``finishStoring(_:)``, which must follow.
    ///
    /// - Parameter store: Stores both.
    /// - Returns: False if nothing was stored, so that nothing follows.
    func storing(
        _ record: TaskRecord, _ store: () async throws(TaskStoreError) -> Bool
    ) async throws(TaskStoreError) -> Bool {
        state.withLock { $0.beginStoring(record) }
        var isStored = false
        defer { if !isStored { refuse(state.withLock { $0.live.remove(record.id) }, of: record.id) } }
        isStored = try await store()
        return isStored
    }

    /// Follows a task that was stored with the change of a schedule (``storing(_:_:)``).
    func finishStoring(_ record: TaskRecord) {
        let following = clockAdjustment.step(after: record)
        state.withLock { $0.live.store(record, followedBy: following) }
        taskWasStored(record)
        stopDraining(of: record)
    }

    /// Enqueues a task that was stored with the change of another task, or watches its time.
    ///
    /// It is accepted even if the queue is full.
    func taskWasStored(_ record: TaskRecord) {
        due.watch(record)
        guard record.state == .queued else { return }
        guard record.orderingKey != nil else { return enqueue(record) }
        Task {
            // The store has decided whether it is the task's turn.
            guard let current = await context.known(record.id, inStore: true), current.state == .queued,
                !current.isBlocked
            else { return }
            enqueue(current)
        }
    }

    // MARK: Results of insertions

    /// Handles the store's answer to an insertion.
    private func finishInsertion(
        _ record: TaskRecord, _ insertion: Result<Insertion, TaskStoreError>
    ) async -> Result<TaskCreationOutcome, TaskStoreError> {
        switch insertion {
        case .success(.inserted(let isBlocked)):
            return .success(.created(begin(record, isBlocked: isBlocked)))
        case .success(.replayed(let first)):
            giveUp(record)
            return await replay(of: first)
        case .success(.replayedRemoved(let first)):
            giveUp(record)
            return .success(.replayedRemoved(first))
        case .success(.keyReused):
            giveUp(record)
            return .success(.refused(.keyReused))
        case .success(.alreadyRetried):
            giveUp(record)
            return .success(.refused(.alreadyRetried))
        case .failure(let error):
            giveUp(record)
            return .failure(error)
        }
    }

    /// Starts following a task that was stored.
    @inline(never)
    private func begin(_ record: TaskRecord, isBlocked: Bool) -> TaskRecord {
        var record = record
        if record.isBlocked != isBlocked { record.change { $0.isBlocked = isBlocked } }
        let following = clockAdjustment.step(after: record)
        state.withLock { state in
            state.live.store(record, followedBy: following)
            if record.state == .queued {
                state.gauges[record.session, default: QueueGauge()].end(isStored: true)
                if !isBlocked { state.admission.enqueue(record.queuePosition, session: record.session) }
            }
        }
        if let original = record.retryOf {
            // The insertion has recorded the retry in the original task. The watchers read it after the outdated record
            // is gone from memory.
            context.recent.remove(original)
            context.watchers.didChangeInStore(original)
        }
        context.recent.put(record)
        due.watch(record)
        stopDraining(of: record)
        return record
    }

    /// Forgets a task that was not stored, and releases its slot or its part of the queue.
    private func giveUp(_ record: TaskRecord) {
        let steps = state.withLock { state in
            switch record.state {
            case .running:
                state.admission.release(record.id, session: record.session, hasBegun: false, at: context.monotonic.now)
            case .queued: state.gauges[record.session, default: QueueGauge()].end(isStored: false)
            case .scheduled, .waiting, .suspended, .canceling, .succeeded, .failed, .canceled: break
            }
            return state.live.remove(record.id)
        }
        refuse(steps, of: record.id)
    }

    /// Refuses the steps of a task that was not stored: requests of an operator who cancels all tasks of the session.
    private func refuse(_ steps: [LiveTask.Waiting], of id: TaskID) {
        for step in steps { step.reply?.resume(returning: .success(.notFound)) }
        retireIfIdle(id)
    }

    /// The longest lifetime of idempotency keys that was in force since the start of the process.
    var longestKeyLifetime: Duration { state.withLock { $0.longestRetention.ofKeys } }

    /// Returns the earlier result of an idempotency key: the task with the same payload, or that the payload was
    /// another.
    ///
    /// - Parameter moment: The time by which keys must have expired to have no effect any more.
    /// - Returns: `nil` if there is no key, or it has created nothing.
    func earlier(
        _ claim: IdempotencyClaim?, keysExpiredBy moment: Timestamp
    ) async -> Result<TaskCreationOutcome, TaskStoreError>? {
        guard let claim else { return nil }
        do throws(TaskStoreError) {
            switch try await context.store.replay(of: claim, at: moment) {
            case .replayed(let id): return await replay(of: id)
            case .replayedRemoved(let first): return .success(.replayedRemoved(first))
            case .keyReused: return .success(.refused(.keyReused))
            case .inserted, .alreadyRetried, nil: return nil
            }
        } catch {
            return .failure(error)
        }
    }

    private func replay(of id: TaskID) async -> Result<TaskCreationOutcome, TaskStoreError> {
        do throws(TaskStoreError) {
            if let record = try await context.task(id) { return .success(.replayed(record)) }
            // The task was deleted just now, and its key with it: the client's next request creates a task.
            throw TaskStoreError(.unexpected, "The task of the idempotency key was just deleted")
        } catch {
            return .failure(error)
        }
    }

    // MARK: Full queues

    /// The queue limits of some sessions at a moment.
    fileprivate struct QueueLimits {
        var sessions: [String: Limit] = [:]

        struct Limit {
            var maxQueued: Int
            var counted: Int
            var arrivedBefore: Int
            /// The estimated time until the queue has room.
            var retryAfter: Duration
        }
    }

    private func queueLimits(of tasks: [Creation]) async throws(TaskStoreError) -> QueueLimits {
        var limits = QueueLimits()
        for record in tasks.lazy.map(\.task.record)
        where limits.sessions[record.session] == nil && record.isRefusedByFullQueue {
            let session = record.session
            guard let configured = context.sessions.configuration(of: session)?.limits, configured.maxQueued > 0 else {
                continue
            }
            let arrived = state.withLock { $0.gauges[session, default: QueueGauge()].arrived }
            let interval = configured.rate.map { $0.period / $0.count } ?? .zero
            limits.sessions[session] = QueueLimits.Limit(
                maxQueued: configured.maxQueued, counted: 0, arrivedBefore: arrived,
                retryAfter: max(interval, .seconds(1)))
        }
        guard !limits.sessions.isEmpty else { return limits }
        let counts = try await context.store.counts()
        for session in limits.sessions.keys {
            limits.sessions[session]?.counted = counts[session, .queued] + counts[session, .waiting]
        }
        return limits
    }
}

/// The decision about a task before it is stored.
private enum Arrival {
    /// The task is to be stored, running if a slot is free.
    case accepted(NewTask)
    case refused(TaskCreationOutcome.Refusal)
}

extension TaskRecord {
    /// True if a full queue refuses the task.
    ///
    /// It refuses no delivery, which has limits of its destination: neither a new one nor the retry of one.
    fileprivate var isRefusedByFullQueue: Bool { !kind.handler.hasDestinations }
}

extension Dispatcher.State {
    /// Accepts or refuses a task before it is stored.
    fileprivate mutating func accept(
        _ creation: Dispatcher.Creation, _ limits: Dispatcher.QueueLimits, at now: ContinuousClock.Instant
    ) -> Arrival {
        var task = creation.task
        let session = task.record.session
        guard !isStopping else { return .refused(.stopping) }
        guard !closedSessions.contains(session) else { return .refused(.sessionClosed(session)) }
        if task.record.state == .queued {
            if isOpen, mayStartAtOnce(task.record), admission.reserve(task.record.id, session: session, at: now) {
                task.record.change { record in
                    record.state = .running
                    record.beginAttempt(at: record.createdAt)
                }
            } else {
                let gauge = gauges[session, default: QueueGauge()]
                if task.record.isRefusedByFullQueue, let limit = limits.sessions[session],
                    gauge.length(counted: limit.counted, arrivedBefore: limit.arrivedBefore) >= limit.maxQueued
                {
                    return .refused(.queueFull(session: session, retryAfter: limit.retryAfter))
                }
                gauges[session, default: gauge].begin()
            }
        }
        beginStoring(task.record, prepared: creation.prepared)
        return .accepted(task)
    }

    /// Adds a task that is about to be stored; its steps wait until the caller stops draining them.
    fileprivate mutating func beginStoring(_ record: TaskRecord, prepared: PreparedRequest? = nil) {
        let live = LiveTask(record, prepared: prepared)
        _ = live.beginDraining()
        self.live.insert(live)
    }

    /// Returns true if a task can take its slot before it is stored.
    ///
    /// The store decides whether it is the turn of a task with an ordering key. A task of a kind with destinations is
    /// queued, because its slot at its destination is decided when it starts: see ``Dispatcher/start(_:)``.
    private func mayStartAtOnce(_ record: TaskRecord) -> Bool {
        record.orderingKey == nil && !record.kind.handler.hasDestinations
    }
}
