import ErrandBodyFiles
import ErrandLocking
import ErrandSessionCore
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import Logging

/// The attempts of tasks: each runs in its own Swift task, from the stored start to the end that is to be stored.
extension Dispatcher {
    /// Returns the attempt of a task that is under way; `nil` if there is none.
    func attempt(of id: TaskID) -> LiveTask.Attempt? {
        state.withLock { $0.live[id]?.attempt }
    }

    /// Begins the attempt of a task whose start is stored.
    func launch(_ id: TaskID) {
        state.withLock { launch(id, &$0) }
    }

    /// Begins the attempt of a task whose start is stored; called under the lock.
    func launch(_ id: TaskID, _ state: inout State) {
        // An attempt that begins now would not be cut off. The next start recovers the task.
        guard !context.isAbandoned, let task = state.live[id] else { return }
        let (record, prepared) = (task.record, task.prepared)
        if record.attemptCount == 1 {
            state.admission.noteFirstAttempt(of: id, session: record.session, at: context.monotonic.now)
        }
        context.meters.attemptBegan(of: record)
        let control = AttemptControl()
        control.setBytesPerSecond(record.bytesPerSecond)
        // Started under the lock, so that it cannot end before it is recorded.
        let work = Task { await runAttempt(of: record, prepared: prepared, control) }
        task.attempt = LiveTask.Attempt(work: work, control: control, begin: context.monotonic.now)
        task.prepared = nil
    }

    private func runAttempt(of record: TaskRecord, prepared: PreparedRequest?, _ control: AttemptControl) async {
        let runner = AttemptRunner(
            sessions: context.sessions, storage: context.storage, wall: context.wall, meters: context.meters)
        let begin = context.monotonic.now
        let end = await runner.run(record, prepared: prepared, control: control)
        if end.attempt?.error?.code == .diskFull { await disk.lookAfterFailure() }
        switch attemptDidEnd(end, of: record, control, begin: begin) {
        case .drains: await drainSteps(of: record.id)
        case .isDrained: break
        case .isAbandoned:
            // In the store the attempt is still under way, so the next start finds and recovers it.
            await context.removeBody(of: record.id)
            retireIfIdle(record.id)
        }
    }

    /// The work that is left when an attempt has ended.
    private enum Remainder {
        /// The caller drains the steps of the task: the end is among them.
        case drains
        /// Another caller drains them.
        case isDrained
        /// The gateway ends, and the end of the attempt, which was cut off, is not stored.
        case isAbandoned
    }

    /// Reports the end of an attempt, releases its slot and appends the step that stores it.
    ///
    /// Not inlined, because its values would become a part of the frame of a function that suspends.
    @inline(never)
    private func attemptDidEnd(
        _ end: AttemptEnd, of record: TaskRecord, _ control: AttemptControl, begin: ContinuousClock.Instant
    ) -> Remainder {
        // The deadline may have been changed during the attempt.
        let (observer, current) = state.withLock { ($0.liveObserver, $0.live[record.id]?.record ?? record) }
        let progress = end.result.shownProgress(control.progress, of: record)
        observer?.attemptDidEnd(record, progress)
        var result = end.result
        if let attempt = end.attempt {
            let duration = begin.duration(to: context.monotonic.now)
            // The shown progress of a download includes the bytes of earlier attempts.
            let transferred = result.progress(control.transferProgress, of: record)
            context.meters.attemptEnded(of: record, attempt, duration: duration, progress: transferred)
            context.spans.add(Span(attempt, of: record, duration: duration, end: context.now()))
            if !result.mayRestart {
                result.follow(followUp(attempt, from: end.origin, of: current), after: attempt.error)
                context.log.attemptDidEnd(
                    attempt, of: current, duration: duration,
                    next: result.retryPause.map { context.now().adding($0) })
            }
        }
        // Under one lock: a closing gateway would not wait for a task without an attempt and without steps.
        let (ready, remainder) = state.withLock { state -> (Ready?, Remainder) in
            let now = context.monotonic.now
            // The slot was for the transfer. The following writes need none: the next attempt starts only when its own
            // start is stored, which comes after this end.
            state.admission.release(record.id, session: record.session, at: now)
            let task = state.live.task(of: record)
            let isAbandoned = task.attempt?.isAbandoned ?? false
            task.attempt = nil
            let ready = state.takeReady(at: now)
            // The next start would send again a request whose response was received completely.
            guard !isAbandoned || result.succeeded else { return (ready, .isAbandoned) }
            task.append(LiveTask.Waiting(step: .end(result)))
            return (ready, task.beginDraining() ? .drains : .isDrained)
        }
        start(ready)
        return remainder
    }
}

extension AttemptResult {
    /// Returns the progress of the attempt; for content that was moved to its final place, only its size is known.
    fileprivate func progress(_ told: TransferProgress, of record: TaskRecord) -> TransferProgress {
        guard let body, response != nil else { return told }
        return complete(received: body.size, of: record)
    }

    /// Returns the progress of the attempt as clients see it: that of a success is complete, also for a file.
    fileprivate func shownProgress(_ told: TransferProgress, of record: TaskRecord) -> TransferProgress {
        guard let size = fileSize(of: record) else { return progress(told, of: record) }
        return complete(received: size, of: record)
    }

    /// Returns the size of the file that the content has become; `nil` if there is none.
    fileprivate func fileSize(of record: TaskRecord) -> Int64? {
        guard succeeded, body == nil, let response, record.kind.handler.writesFiles else { return nil }
        return ResponseDocument.fileSize(in: response)
    }

    private func complete(received: Int64, of record: TaskRecord) -> TransferProgress {
        if case .passedOn(let size, isComplete: false) = passedOn {
            return TransferProgress(sent: size, sendTotal: nil, received: received, receiveTotal: received)
        }
        let sent = passedOn?.size ?? record.content?.size ?? record.specification.contentBytes
        return TransferProgress(sent: sent, sendTotal: sent, received: received, receiveTotal: received)
    }
}
