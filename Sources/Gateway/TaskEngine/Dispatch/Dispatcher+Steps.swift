import ErrandLocking
import ErrandSessionCore
import ErrandTaskAdmission
import ErrandTaskEvents
import ErrandTaskStore
import ErrandTime

/// The steps of tasks: computed, stored and then performed, serially for each task.
extension Dispatcher {
    /// Delivers a step to a task.
    ///
    /// Returns when the step is done, or queued for the caller that is draining the task's steps. A task that was to be
    /// started gives its slot back if tasks are no longer started.
    ///
    /// - Parameter record: The task as the caller knows it; a newer one in memory is used instead.
    func deliver(
        _ step: TaskStep, to record: TaskRecord, reply: PendingReply? = nil
    ) async {
        let (isMine, trouble) = state.withLock { state -> (Bool, TaskStoreError?) in
            // In the lock section that makes the task live: a stop waits for live tasks, and must miss none.
            if case .start = step, !state.isOpen {
                state.admission.release(
                    record.id, session: record.session, hasBegun: false, at: context.monotonic.now)
                return (false, nil)
            }
            // The task may have been changed, and retired, since the caller read it. A step that writes would be
            // refused by the store then; one that changes nothing, and the steps after it, would not.
            let task = state.live[record.id] ?? state.live.task(of: context.recent.newest(of: record))
            if reply != nil, let refusal = task.trouble ?? task.refusalOfMore { return (false, refusal) }
            task.append(LiveTask.Waiting(step: step, reply: reply))
            return (task.beginDraining(), nil)
        }
        if let trouble { reply?.resume(returning: .failure(trouble)) }
        if isMine { await drainSteps(of: record.id) }
    }

    /// Delivers a step and waits for its outcome, however long the store takes.
    ///
    /// The wait does not end with the calling task. It ends with the gateway.
    func outcome(of step: TaskStep, on record: TaskRecord) async throws(TaskStoreError) -> TaskCommandOutcome {
        let reply = PendingReply()
        Task { await deliver(step, to: record, reply: reply) }
        return try await reply.value.get()
    }

    /// Delivers a step and waits for its outcome, at most for ``ClientPatience/reply``.
    ///
    /// The step belongs to the dispatcher: it is done even if the caller is canceled or told that it takes too long.
    func reply(to step: TaskStep, of record: TaskRecord) async throws(TaskStoreError) -> TaskCommandOutcome {
        let reply = PendingReply()
        Task { await deliver(step, to: record, reply: reply) }
        let alarm = context.timer.set(after: context.patience.reply, grain: .seconds(1)) {
            let error = TaskStoreError(.busy, "The task store takes too long to store the change")
            reply.resume(returning: .failure(error))
        }
        defer { context.timer.cancel(alarm) }
        return try await reply.value.get()
    }

    /// Drains the steps of a task.
    ///
    /// The caller must have begun draining.
    func drainSteps(of id: TaskID) async {
        while let (waiting, known) = nextStep(of: id) {
            await perform(workOut(waiting, on: await upToDate(known, for: waiting.step)))
        }
    }

    /// A step whose transition is worked out.
    ///
    /// An object, because the functions that suspend would keep copies of its values in their frames.
    private final class WorkedOutStep: Sendable {
        let waiting: LiveTask.Waiting
        /// The task before the step.
        let record: TaskRecord
        let transition: TaskTransition

        init(_ waiting: LiveTask.Waiting, on record: TaskRecord, _ transition: TaskTransition) {
            self.waiting = waiting
            self.record = record
            self.transition = transition
        }

        /// Tells the client that waits for the step, if one does, that it changes nothing.
        @inline(never)
        func replyUnchanged() {
            reply(.success(TaskCommandOutcome(of: transition, on: record)))
        }

        /// Gives the outcome to the client that waits for the step, if one does.
        func reply(_ outcome: Result<TaskCommandOutcome, TaskStoreError>) {
            waiting.reply?.resume(returning: outcome)
        }
    }

    private func perform(_ step: WorkedOutStep) async {
        guard let written = await write(step) else {
            await perform(step.transition.effects, on: step.record)
            return step.replyUnchanged()
        }
        if case .stored(let release) = written {
            await didStore(step, release)
        } else {
            didNotStore(step, written)
        }
    }

    /// Performs what follows a step that is not stored.
    @inline(never)
    private func didNotStore(_ step: WorkedOutStep, _ written: Written) {
        switch written {
        case .stored:
            break
        case .stale(let current):
            state.withLock { $0.live.replace(step.record.id, with: current, putBack: step.waiting) }
        case .gone:
            releaseSlot(of: step)
            step.reply(.success(.notFound))
        case .failed(let error):
            // Otherwise the gateway ends.
            if error.isOfOneTask { releaseSlot(of: step) }
            step.reply(.failure(error))
        }
    }

    /// Releases the slot of a task that was to be started, and does not start.
    private func releaseSlot(of step: WorkedOutStep) {
        guard case .start = step.waiting.step else { return }
        release(step.record.id, of: step.record.session, hasBegun: false)
    }

    /// Performs what follows a stored step.
    @inline(never)
    private func didStore(_ step: WorkedOutStep, _ release: TaskRelease?) async {
        guard let update = step.transition.update else { return }
        // Before clients can read the end.
        if !step.record.state.isTerminal { context.meters.taskEnded(update.record) }
        let next = await stored(update.record)
        await perform(step.transition.effects, on: next)
        context.watchers.didChange(next)
        for child in update.children { taskWasStored(child) }
        if let release { unblockNext(after: release) }
        step.reply(.success(.done(next, changed: true)))
    }

    /// Returns the next step of a task, and the task.
    ///
    /// - Returns: `nil` if there is no step, which ends the draining; the task is forgotten unless it has an attempt.
    private func nextStep(of id: TaskID) -> (LiveTask.Waiting, TaskRecord)? {
        let (next, waiters) = state.withLock { state in
            let next = state.live.nextStep(of: id)
            return (next, next == nil ? state.live.retire(id) : [])
        }
        for waiter in waiters { waiter.resume() }
        return next
    }

    /// Returns a task as a step has to know it.
    private func upToDate(_ record: TaskRecord, for step: TaskStep) async -> TaskRecord {
        switch step {
        // Only updated, not inserted: the caller's record may be older than the cached one, or the task deleted.
        case .unblocked: context.recent.unblock(record.id, revision: record.revision)
        // The store knows whether it is the task's turn; the record in memory may be older.
        case .start where record.isBlocked: return await context.known(record.id, inStore: true) ?? record
        default: break
        }
        return record
    }

    /// Works out the transition of a step.
    ///
    /// Not inlined, because its values would become a part of the frame of a function that suspends.
    @inline(never)
    private func workOut(_ waiting: LiveTask.Waiting, on record: TaskRecord) -> WorkedOutStep {
        var step = waiting.step
        // Before all times that are worked out, so that they are those of this reading.
        let reading = context.wall.reading
        if case .timeCame = step {
            step = self.step(ofDue: record.movingWaits(to: reading.offset), at: reading.time)
        }
        let (completion, isStopping) = state.withLock { ($0.completion, $0.isStopping) }
        // What has begun before is withdrawn by the drain, whose steps come after this one.
        if case .contentBegan = step, isStopping {
            return WorkedOutStep(waiting, on: record, TaskTransition(refusing: record))
        }
        let transition = TaskTransition(
            of: step, on: record, at: reading.time, clockOffset: reading.offset, completion)
        return WorkedOutStep(waiting, on: record, transition)
    }

    /// Begins the attempt of a created task if it is running, and stops draining its steps, which the caller has begun.
    ///
    /// A separate Swift task drains the steps that have arrived meanwhile, so that the caller does not wait for them.
    func stopDraining(of record: TaskRecord) {
        let id = record.id
        let (isDrained, waiters) = state.withLock { state in
            if record.state == .running { launch(id, &state) }
            return (state.live[id]?.endDrainingIfIdle() ?? true, state.live.retire(id))
        }
        for waiter in waiters { waiter.resume() }
        if !isDrained {
            Task { await drainSteps(of: id) }
        }
    }

    /// Records a change that is stored.
    ///
    /// - Returns: The task, with the values that only the store knows.
    private func stored(_ record: TaskRecord) async -> TaskRecord {
        var next = record
        if record.orderingKey != nil, record.state == .queued {
            // It was enqueued or moved within the queue: the store has decided whether it is its turn.
            let current = await context.known(record.id, inStore: true)
            next.change { $0.isBlocked = current?.isBlocked ?? record.isBlocked }
        }
        noteStored(next)
        return next
    }

    /// Not inlined, because its values would become a part of the frame of a function that suspends.
    @inline(never)
    private func noteStored(_ record: TaskRecord) {
        let following = clockAdjustment.step(after: record)
        state.withLock { $0.live.store(record, followedBy: following) }
        context.recent.put(record)
        due.watch(record)
        context.log.taskWasStored(record)
        context.spans.add(Span(record))
    }

    /// Starts the next task of an ordering key, whose turn has come.
    func unblockNext(after release: TaskRelease) {
        Task {
            guard let record = await context.known(release.position.id) else { return }
            await deliver(.unblocked, to: record)
        }
    }

    private enum Written {
        case stored(TaskRelease?)
        case stale(TaskRecord)
        case gone
        case failed(TaskStoreError)
    }

    /// Stores the change of a step.
    ///
    /// A step that no client waits for is written until the store accepts it, unless nothing has happened by it yet and
    /// the failure is of its task alone.
    ///
    /// - Returns: `nil` if the step changes nothing.
    @inline(never)
    private func write(_ step: WorkedOutStep) async -> Written? {
        guard let update = step.transition.update else { return nil }
        let attempt = { [context] () async throws(TaskStoreError) -> Written in
            if case .stored(let release) = try await context.store.update(update) { return .stored(release) }
            guard let current = try await context.store.task(update.record.id) else { return .gone }
            return .stale(current)
        }
        do {
            return try await attempt()
        } catch  where step.waiting.reply == nil {
            return await writeAgain(step, after: error, attempt)
        } catch {
            return .failed(error)
        }
    }

    /// Writes a step until the store accepts it, or the step is given up.
    ///
    /// - Parameters:
    ///   - error: The failure of the first try.
    ///   - attempt: Tries to write it.
    @inline(never)
    private func writeAgain(
        _ step: WorkedOutStep, after error: TaskStoreError, _ attempt: () async throws(TaskStoreError) -> Written
    ) async -> Written {
        if let end = giveUp(step, after: error) { return end }
        let id = step.record.id
        defer { state.withLock { $0.live[id]?.recover() } }
        refuseClients(of: id, error)
        let written = await context.retryingStoreErrors(
            "storing a task's progress", of: id, onFailure: { refuseClients(of: id, $0) }
        ) { () async throws(TaskStoreError) -> Written in
            do throws(TaskStoreError) {
                return try await attempt()
            } catch {
                guard let end = giveUp(step, after: error) else { throw error }
                return end
            }
        }
        return written ?? .failed(error)
    }

    /// Gives up a step by which nothing has happened yet, if it failed because of its task alone.
    ///
    /// - Returns: The outcome; `nil` if the step is to be written again.
    private func giveUp(_ step: WorkedOutStep, after error: TaskStoreError) -> Written? {
        guard error.isOfOneTask, !step.waiting.step.hasHappened else { return nil }
        context.log.taskIsUnreadable(step.record.id, error)
        return .failed(error)
    }

    /// Fails the steps that clients wait for, because the store fails.
    private func refuseClients(of id: TaskID, _ error: TaskStoreError) {
        let refused = state.withLock { $0.live[id]?.fail(with: error) ?? [] }
        for step in refused { step.reply?.resume(returning: .failure(error)) }
    }

    private func perform(_ effects: [TaskTransition.Effect], on record: TaskRecord) async {
        for effect in effects {
            switch effect {
            case .launch: launch(record.id)
            case .suspendTransfer: attempt(of: record.id)?.control.suspend()
            case .resumeTransfer: attempt(of: record.id)?.control.resume()
            case .closeConnection: attempt(of: record.id)?.work.cancel()
            case .endAttempt: attempt(of: record.id)?.control.cancel(.deadlineExceeded)
            case .pace(let bytes): attempt(of: record.id)?.control.setBytesPerSecond(bytes)
            case .enqueue: if !record.isBlocked { enqueue(record) }
            case .withdraw: withdraw(record)
            case .releaseSlot: release(record.id, of: record.session, hasBegun: false)
            // Before the next step, which may begin an attempt with a body of its own.
            case .dropBody: await context.removeBody(of: record.id)
            case .dropPartialFile: await context.removePartialFile(of: record.id)
            case .dropContent: await context.removeContent(of: record.id)
            }
        }
    }

    private func withdraw(_ record: TaskRecord) {
        let ready = state.withLock { state in
            state.admission.withdraw(record.id, session: record.session)
            // The tasks known in memory may have run low.
            return state.takeReady(at: context.monotonic.now)
        }
        start(ready)
    }

    /// Forgets a task that has no attempt and no steps.
    func retireIfIdle(_ id: TaskID) {
        let waiters = state.withLock { $0.live.retire(id) }
        for waiter in waiters { waiter.resume() }
    }
}
