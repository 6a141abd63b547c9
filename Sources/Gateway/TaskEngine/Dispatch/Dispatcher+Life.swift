import ErrandLocking
import ErrandSessionCore
import ErrandTaskAdmission
package import ErrandTaskStore
import ErrandTime
import Logging

/// The start and the end of the dispatcher.
extension Dispatcher {
    /// Recovers the tasks of an earlier process; starts nothing yet.
    ///
    /// An attempt that was under way is lost: it is unknown whether its request arrived. A task in `canceling` becomes
    /// canceled. A task that may be sent again (``Recovery``) is queued again, any other fails with `interrupted`. A
    /// task whose attempt was suspended becomes suspended without an attempt, or fails in the same way.
    ///
    /// - Parameter controlStates: The states that operators have set on sessions.
    package func prepare(controlStates: [SessionControlState]) async throws(TaskStoreError) {
        // New identifiers continue after the newest stored one, even if the clock was set back since.
        var query = TaskQuery()
        query.pageSize = 1
        if let newest = try await context.store.identifiers(query, for: .dispatcher).first {
            context.ids.advance(beyond: newest)
        }
        try await clockAdjustment.prepare()
        try await CrashRecovery(context: context, completion: state.withLock { $0.completion }).run()
        await disk.look()
        disk.start()
        let counts = try await context.store.counts()
        let known = try await holds.read()
        let (reading, now) = (context.wall.reading, context.monotonic.now)
        let restored = state.withLock { state in
            for controlState in controlStates { state.apply(controlState) }
            for session in counts.sessions where counts[session, .queued] > 0 {
                state.admission.noteStored(session: session)
            }
            return known.filter {
                state.admission.restore(Admission.Hold($0, at: reading, now), session: $0.session, at: now)
            }
        }
        // Those that are over, or of another upstream.
        holds.forget(Set(known).subtracting(restored))
        for hold in restored {
            context.logger.info(
                "A session goes on with the pause that it had before the restart",
                metadata: ["session": "\(hold.session)"])
        }
        warnOfUnconfigured(counts)
    }

    /// Starts tasks, now and when they become due; without effect the second time, and after ``drain(patience:)``.
    package func start() {
        let isNew = state.withLock { state in
            defer { if state.phase == .created { state.phase = .running } }
            return state.phase == .created
        }
        guard isNew else { return }
        clockAdjustment.start(self)
        startWaker()
        due.start(self)
        sweeps.start(
            RetentionSweeper(
                context: context, removal: removal, retention: { [self] in state.withLock { $0.completion.retention } },
                longest: { [self] in state.withLock { $0.longestRetention.ofAll } },
                isLive: { [self] id in state.withLock { $0.live[id] != nil } }))
        startReadyTasks()
    }

    /// Logs sessions that are not configured and have queued tasks.
    package func warnOfUnconfigured(_ counts: TaskCounts) {
        for session in counts.sessions where context.sessions[session] == nil && counts[session, .queued] > 0 {
            context.logger.warning(
                "Queued tasks of a session that is not configured stay queued",
                metadata: ["session": "\(session)", "tasks": .stringConvertible(counts[session, .queued])])
        }
    }

    /// True from the moment at which no more tasks are accepted, as the gateway stops.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// The number of attempts under way.
    package var attemptsUnderWay: Int {
        state.withLock { state in state.live.values.count { $0.attempt != nil } }
    }

    /// Accepts no more tasks, starts no more attempts, and waits at most `patience` for the attempts under way.
    ///
    /// Attempts that are left then are cut off; their tasks stay `running` in the store for the next start to recover.
    /// Suspended attempts would not end by themselves and are cut off at once. Tasks whose content no attempt has taken
    /// from its client wait for it again. Reads, waits and commands of clients are served until ``close()``.
    package func drain(patience: Duration) async {
        state.withLock { $0.phase = .draining }
        cutOff(onlySuspended: true)
        let cutOff = Task {
            // Canceled when all attempts have ended in time.
            guard (try? await ContinuousClock().boundedSleep(for: patience)) != nil else { return }
            abandon()
            // Commands of clients may keep tasks live; ``close()`` waits for them when no more can arrive.
            let waiters = state.withLock { $0.live.takeIdleWaiters() }
            for waiter in waiters { waiter.resume() }
        }
        // Concurrently, because a store or a disk that hangs must not delay the cut.
        async let sweeping: Void = stopSweeps()
        async let walking: Void = clockAdjustment.stop()
        async let withdrawal: Void = withdrawContents()
        await untilIdle(orAbandoned: true)
        await withdrawal
        await sweeping
        await walking
        // An attempt that ended in time may have failed without taking anything, and no other follows.
        if !context.isAbandoned { await withdrawContents() }
        cutOff.cancel()
        await cutOff.value
    }

    /// Stops removing tasks and looking at the disk; waits for a removal under way.
    private func stopSweeps() async {
        await sweeps.stop()
        await disk.stop()
    }

    /// Makes the tasks whose clients are sending content that no attempt has taken wait for it again.
    ///
    /// Called when the dispatcher is stopping. A content that begins later is refused; one that has begun is under way
    /// since before its step, so that the step of this function follows that step.
    private func withdrawContents() async {
        let ids = context.contentsUnderWay.passedOn
        guard !ids.isEmpty else { return }
        do throws(TaskStoreError) {
            _ = try await deliver(.contentWithdrawn, to: ids).get()
        } catch {
            context.logger.error(
                "Tasks could not be made to wait for their content again",
                metadata: ["tasks": .stringConvertible(ids.count), "error": "\(error)"])
        }
    }

    /// Ends the waits of clients, and waits until no task has an attempt or a step under way.
    ///
    /// Called after ``drain(patience:)``, when no more requests of clients arrive.
    package func close() async {
        context.watchers.close()
        // No step repeats an operation of a failing store any more; the next start does what is left.
        abandon()
        await untilIdle()
        // The action of an alarm waits for steps of tasks, which may wait for the store until they are cut off.
        await due.stop()
        await stopWaker()
        await holds.finish()
        await clockAdjustment.stop()
        context.log.close()
        // The end of the task that a removal waits for has come, or never comes.
        await removals.wait()
    }

    /// Starts the alarm that starts tasks when a session's rate limit or pause allows it.
    private func startWaker() {
        let waker = Alarm<ContinuousClock.Instant>(
            clock: context.monotonic.clock,
            remaining: { [monotonic = context.monotonic] in monotonic.now.duration(to: $0) },
            ring: { [weak self] in
                self?.startReadyTasks()
                return nil
            })
        state.withLock { $0.waker = waker }
    }

    private func stopWaker() async {
        let waker = state.withLock { state in
            defer { state.waker = nil }
            return state.waker
        }
        await waker?.stop()
    }

    private func abandon() {
        // Read under the lock when an attempt begins: an earlier attempt is cut off here, a later one does not begin.
        context.abandon()
        cutOff(onlySuspended: false)
    }

    private func cutOff(onlySuspended: Bool) {
        let attempts = state.withLock { $0.live.abandonAttempts(onlySuspended: onlySuspended) }
        if !attempts.isEmpty {
            context.logger.warning(
                "Cut off attempts under way", metadata: ["attempts": .stringConvertible(attempts.count)])
        }
        for attempt in attempts { attempt.work.cancel() }
    }

    /// Waits until no task has an attempt or a step under way.
    ///
    /// - Parameter endsAbandoned: True to wait no longer than until the attempts under way are cut off.
    private func untilIdle(orAbandoned endsAbandoned: Bool = false) async {
        await withContinuation { continuation in
            let waits = state.withLock { state in
                // The cut may have come before this wait.
                if endsAbandoned, context.isAbandoned { return false }
                return state.live.addIdleWaiter(continuation)
            }
            if !waits { continuation.resume() }
        }
    }
}

extension Dispatcher: WallClockObserver {
    func clockWasSet(_ change: WallClock.Change) async {
        await clockAdjustment.clockWasSet(change, self)
    }

    func clockHasSettled() {
        due.check()
    }
}
