import Locking
import SessionCore
import TaskAdmission
import TaskStore

/// Steps of tasks: worked out, stored, and then performed, one after the other for each task.
extension Dispatcher {
    /// Delivers a step to a task.
    ///
    /// Returns when it is done, or taken over by whoever has the task's pen.
    ///
    /// - Parameter record: The task as the caller knows it. A task that is live already is taken as it is.
    func deliver(
        _ step: TaskStep, to record: TaskRecord, reply: CheckedContinuation<StepReply, Never>? = nil
    ) async {
        let isMine = state.withLock { state in
            var task = state.live[record.id] ?? LiveTask(record)
            task.append(LiveTask.Waiting(step: step, reply: reply))
            defer { state.live[record.id] = task }
            return task.takePen()
        }
        if isMine { await workOff(record.id) }
    }

    /// Delivers a step, and waits for what becomes of it.
    func reply(to step: TaskStep, of record: TaskRecord) async -> StepReply {
        await withCheckedContinuation { continuation in
            Task { await deliver(step, to: record, reply: continuation) }
        }
    }

    /// Works off the steps of a task until there are none.
    ///
    /// The caller has its pen.
    func workOff(_ id: TaskID) async {
        while let (waiting, record, completion) = state.withLock({ $0.nextStep(of: id) }) {
            var record = record
            switch waiting.step {
            // Not put there: what the caller knows of the task may be older than what is there, or the task gone.
            case .unblocked: recent.unblock(id, revision: record.revision)
            // Whether its turn has come, the store knows better than what is known here of earlier.
            case .start where record.isBlocked: record = await known(id, inStore: true) ?? record
            default: break
            }
            let transition = TaskTransition(of: waiting.step, on: record, at: now(), completion)
            guard let update = transition.update else {
                await perform(transition.effects, on: record)
                waiting.reply?.resume(returning: StepReply(of: transition, on: record))
                continue
            }
            switch await write(update, isPatient: waiting.reply == nil) {
            case .stored(let release):
                let next = await stored(update.record)
                await perform(transition.effects, on: next)
                watchers.didChange(next)
                for child in update.children { taskWasStored(child) }
                if let release { letGo(of: release) }
                waiting.reply?.resume(returning: .changed(next))
            case .stale(let current):
                state.withLock { $0.replace(id, with: current, putBack: waiting) }
            case .gone:
                if case .start = waiting.step { release(record.id, of: record.session, hasBegun: false) }
                waiting.reply?.resume(returning: .gone)
            case .failed(let error):
                waiting.reply?.resume(returning: .failed(error))
            }
        }
        retireIfIdle(id)
    }

    /// Takes note of a change that is stored.
    ///
    /// - Returns: The task, with what the store alone knows of it.
    private func stored(_ record: TaskRecord) async -> TaskRecord {
        var next = record
        if record.orderingKey != nil, record.state == .queued {
            // It has come into the queue, or has another place there: whether its turn has come, the store has decided.
            let current = await known(record.id, inStore: true)
            next.isBlocked = current?.isBlocked ?? record.isBlocked
        }
        state.withLock { state in
            state.live[record.id]?.record = next
            state.passedOver.remove(record.id)
        }
        recent.put(next)
        watch(next)
        return next
    }

    /// The turn of the next task of an ordering key has come.
    func letGo(of release: TaskRelease) {
        Task {
            guard let record = await known(release.position.id) else { return }
            await deliver(.unblocked, to: record)
        }
    }

    private enum Written {
        case stored(TaskRelease?)
        case stale(TaskRecord)
        case gone
        case failed(TaskStoreError)
    }

    /// Stores a change.
    ///
    /// A patient one is tried until the store can write again: it tells what has happened already.
    private func write(_ update: TaskUpdate, isPatient: Bool) async -> Written {
        let attempt = { [store] () async throws(TaskStoreError) -> Written in
            if case .stored(let release) = try await store.update(update) { return .stored(release) }
            guard let current = try await store.task(update.record.id) else { return .gone }
            return .stale(current)
        }
        do {
            return try await attempt()
        } catch  where isPatient {
            return await untilItWorks("storing a task's progress", attempt) ?? .failed(error)
        } catch {
            return .failed(error)
        }
    }

    private func perform(_ effects: [TaskTransition.Effect], on record: TaskRecord) async {
        for effect in effects {
            switch effect {
            case .launch: launch(record.id)
            case .standStill: attempt(of: record.id)?.control.suspend()
            case .goOn: attempt(of: record.id)?.control.resume()
            case .closeConnection: attempt(of: record.id)?.work.cancel()
            case .endAttempt: attempt(of: record.id)?.control.cancel(.deadlineExceeded)
            case .pace(let bytes): attempt(of: record.id)?.control.setBytesPerSecond(bytes)
            case .enqueue: if !record.isBlocked { enqueue(record) }
            case .withdraw: withdraw(record)
            case .releasePlace: release(record.id, of: record.session, hasBegun: false)
            // Before the next step, which may begin an attempt with a body of its own.
            case .dropBody: await removeBody(of: record.id)
            }
        }
    }

    private func withdraw(_ record: TaskRecord) {
        state.withLock { $0.admission.withdraw(record.id, session: record.session) }
        // What is known of the queue may have run low.
        pump()
    }

    /// Lets go of a task that nothing is being done to any more.
    func retireIfIdle(_ id: TaskID) {
        let waiters = state.withLock { $0.retire(id) }
        for waiter in waiters { waiter.resume() }
    }
}

extension StepReply {
    /// What became of a step that changes nothing.
    fileprivate init(of transition: TaskTransition, on record: TaskRecord) {
        self =
            switch transition.refusal {
            case .illegal: .refused(record)
            case .precondition: .preconditionFailed(record)
            case nil: .unchanged(record)
            }
    }
}

extension Dispatcher.State {
    /// The next step of a task, the task, and what is added if it ends with it; `nil` lays the pen down.
    fileprivate mutating func nextStep(of id: TaskID) -> (LiveTask.Waiting, TaskRecord, TaskCompletion)? {
        guard let waiting = live[id]?.nextStep() else { return nil }
        if case .unblocked = waiting.step { live[id]?.record.isBlocked = false }
        guard let record = live[id]?.record else { return nil }
        return (waiting, record, completion)
    }

    fileprivate mutating func replace(_ id: TaskID, with record: TaskRecord, putBack waiting: LiveTask.Waiting) {
        live[id]?.record = record
        live[id]?.putBack(waiting)
    }

    /// Removes a task without an attempt and without steps.
    ///
    /// - Returns: Who waited for the last one to go, when this was it.
    fileprivate mutating func retire(_ id: TaskID) -> [CheckedContinuation<Void, Never>] {
        if live[id]?.isIdle == true { live[id] = nil }
        guard live.isEmpty else { return [] }
        defer { idleWaiters = [] }
        return idleWaiters
    }
}
