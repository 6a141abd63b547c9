import Locking
package import SessionCore
import TaskAdmission
package import TaskStore

/// How tasks come in.
extension Dispatcher {
    /// What became of a task that somebody wants created.
    package enum CreateAnswer: Sendable {
        /// It is stored, and its attempt has begun if there was a place for it.
        case created(TaskRecord)
        /// Its idempotency key has made this task before.
        case replayed(TaskRecord)
        /// Its idempotency key has made another task before, of another payload.
        case keyReused
        /// Its session takes no task any more.
        case sessionClosed
        /// So many of its session wait that no more may; it is worth asking again after a while.
        case queueFull(retryAfter: Duration)
    }

    /// A task that is to be created.
    package typealias Creation = (task: NewTask, prepared: PreparedRequest?)

    /// Accepts a task: it is stored when this returns.
    ///
    /// - Parameters:
    ///   - task: The task, scheduled, queued or suspended.
    ///   - prepared: Its request, if it is prepared already.
    package func create(_ task: NewTask, prepared: PreparedRequest?) async throws(TaskStoreError) -> CreateAnswer {
        guard let answer = await create([(task, prepared)]).first else {
            throw TaskStoreError(.unexpected, "Nothing became of a task that was to be created")
        }
        return try answer.get()
    }

    /// Accepts tasks in one durable write, each by itself.
    ///
    /// - Returns: What became of each, in their order.
    package func create(_ tasks: [Creation]) async -> [Result<CreateAnswer, TaskStoreError>] {
        let limits: QueueLimits
        do {
            limits = try await queueLimits(of: Set(tasks.map(\.task.record.session)))
        } catch {
            return tasks.map { _ in .failure(error) }
        }
        let arrivals = state.withLock { state in tasks.map { state.accept($0, limits, at: time.now) } }
        let accepted = arrivals.compactMap { arrival in
            if case .accepted(let task) = arrival { task } else { nil }
        }
        var insertions = accepted.isEmpty ? [] : (await store.insert(accepted))[...]
        var answers: [Result<CreateAnswer, TaskStoreError>] = []
        for (task, arrival) in zip(tasks, arrivals) {
            switch arrival {
            case .refused(let answer):
                // What its key has made already, the key's owner gets, whatever keeps further tasks out.
                answers.append(await earlier(task.task.idempotency) ?? .success(answer))
            case .accepted(let task):
                let missing = TaskStoreError(.unexpected, "The store said nothing of a task that was to be added")
                answers.append(await settle(task.record, insertions.popFirst() ?? .failure(missing)))
            }
        }
        pump()
        return answers
    }

    /// A task was stored in the transaction of something else: it takes its place in the queue, or waits for its time.
    ///
    /// It is not refused when the queue is full.
    package func taskWasStored(_ record: TaskRecord) {
        watch(record)
        guard record.state == .queued else { return }
        guard record.orderingKey != nil else { return enqueue(record) }
        Task {
            // Whether its turn has come, the store has decided.
            guard let current = await known(record.id, inStore: true), current.state == .queued, !current.isBlocked
            else { return }
            enqueue(current)
        }
    }

    // MARK: Settling

    /// Does what is to be done about a task that the store has been asked to add.
    private func settle(
        _ record: TaskRecord, _ insertion: Result<Insertion, TaskStoreError>
    ) async -> Result<CreateAnswer, TaskStoreError> {
        switch insertion {
        case .success(.inserted(let isBlocked)):
            return .success(.created(await begin(record, isBlocked: isBlocked)))
        case .success(.replayed(let first)):
            giveUp(record)
            return await replay(of: first)
        case .success(.keyReused):
            giveUp(record)
            return .success(.keyReused)
        case .failure(let error):
            giveUp(record)
            return .failure(error)
        }
    }

    /// Takes up a task that is stored.
    private func begin(_ record: TaskRecord, isBlocked: Bool) async -> TaskRecord {
        var record = record
        record.isBlocked = isBlocked
        state.withLock { state in
            state.live[record.id]?.record = record
            if record.state == .queued {
                state.gauges[record.session, default: QueueGauge()].end(isStored: true)
                if !isBlocked { state.admission.enqueue(record.queuePosition, session: record.session) }
            }
        }
        recent.put(record)
        watch(record)
        if record.state == .running { launch(record.id) }
        await workOff(record.id)
        return record
    }

    /// Forgets a task that was not stored, and gives back what it has taken.
    private func giveUp(_ record: TaskRecord) {
        let steps = state.withLock { state in
            switch record.state {
            case .running: state.admission.release(record.id, session: record.session, hasBegun: false, at: time.now)
            case .queued: state.gauges[record.session, default: QueueGauge()].end(isStored: false)
            case .scheduled, .waiting, .suspended, .canceling, .succeeded, .failed, .canceled: break
            }
            return state.live.removeValue(forKey: record.id)?.waiting ?? []
        }
        // Of an operator who cancels all tasks of the session.
        for step in steps { step.reply?.resume(returning: .gone) }
        retireIfIdle(record.id)
    }

    /// What an idempotency key has made before: the task of the same payload, or that it was of another.
    ///
    /// - Returns: `nil` when there is no key, or it has made nothing.
    func earlier(_ claim: IdempotencyClaim?) async -> Result<CreateAnswer, TaskStoreError>? {
        guard let claim else { return nil }
        do throws(TaskStoreError) {
            switch try await store.answer(to: claim, at: now()) {
            case .replayed(let id): return await replay(of: id)
            case .keyReused: return .success(.keyReused)
            case .inserted, nil: return nil
            }
        } catch {
            return .failure(error)
        }
    }

    private func replay(of id: TaskID) async -> Result<CreateAnswer, TaskStoreError> {
        do throws(TaskStoreError) {
            if let record = try await task(id) { return .success(.replayed(record)) }
            // Deleted in this moment, and its key with it: the next try makes a task.
            throw TaskStoreError(.unexpected, "The task of the idempotency key was just deleted")
        } catch {
            return .failure(error)
        }
    }

    // MARK: Full queues

    /// What bounds the queues of some sessions at a moment.
    fileprivate struct QueueLimits {
        var sessions: [String: Limit] = [:]

        struct Limit {
            var maxQueued: Int
            var counted: Int
            var arrivedBefore: Int
            /// How long it takes until there is room, roughly.
            var retryAfter: Duration
        }
    }

    private func queueLimits(of sessions: Set<String>) async throws(TaskStoreError) -> QueueLimits {
        var limits = QueueLimits()
        for session in sessions {
            guard let configured = self.sessions.configuration(of: session)?.limits, configured.maxQueued > 0 else {
                continue
            }
            let arrived = state.withLock { $0.gauges[session, default: QueueGauge()].arrived }
            let interval = configured.rate.map { $0.period / $0.count } ?? .zero
            limits.sessions[session] = QueueLimits.Limit(
                maxQueued: configured.maxQueued, counted: 0, arrivedBefore: arrived,
                retryAfter: max(interval, .seconds(1)))
        }
        guard !limits.sessions.isEmpty else { return limits }
        let counts = try await store.counts()
        for session in limits.sessions.keys {
            limits.sessions[session]?.counted = counts[session, .queued] + counts[session, .waiting]
        }
        return limits
    }
}

/// What the dispatcher says to a task before it is stored.
private enum Arrival {
    /// It is to be stored, running if it has a place.
    case accepted(NewTask)
    case refused(Dispatcher.CreateAnswer)
}

extension Dispatcher.State {
    /// Takes in a task that is about to be stored.
    fileprivate mutating func accept(
        _ creation: Dispatcher.Creation, _ limits: Dispatcher.QueueLimits, at now: ContinuousClock.Instant
    ) -> Arrival {
        var task = creation.task
        let session = task.record.session
        guard !closedSessions.contains(session) else { return .refused(.sessionClosed) }
        if task.record.state == .queued {
            // Whether the turn of an ordering key has come, the store decides.
            if isOpen, task.record.orderingKey == nil, admission.reserve(task.record.id, session: session, at: now) {
                task.record.state = .running
                task.record.beginAttempt(at: task.record.createdAt)
            } else {
                let gauge = gauges[session, default: QueueGauge()]
                if let limit = limits.sessions[session],
                    gauge.length(counted: limit.counted, arrivedBefore: limit.arrivedBefore) >= limit.maxQueued
                {
                    return .refused(.queueFull(retryAfter: limit.retryAfter))
                }
                gauges[session, default: gauge].begin()
            }
        }
        var live = LiveTask(task.record, prepared: creation.prepared)
        _ = live.takePen()
        self.live[task.record.id] = live
        return .accepted(task)
    }
}
