import BodyFiles
import Locking
import Logging
import SessionCore
import TaskAdmission
import TaskStore

/// The attempts of tasks: a Swift task each, from the stored start to the end that is to be stored.
extension Dispatcher {
    /// The attempt of a task that has begun and not ended.
    func attempt(of id: TaskID) -> LiveTask.Attempt? {
        state.withLock { $0.live[id]?.attempt }
    }

    /// Begins the attempt of a task whose start is stored.
    func launch(_ id: TaskID) {
        let control = AttemptControl()
        state.withLock { state in
            // Nothing would cut off what begins after the cut: the next start recovers the task.
            guard !state.isAbandoning, let record = state.live[id]?.record else { return }
            if record.attemptCount == 1 {
                state.admission.noteFirstAttempt(session: record.session, at: time.now)
            }
            let prepared = state.live[id]?.prepared
            control.setBytesPerSecond(record.bytesPerSecond)
            // Begun under the lock, so that it cannot end before it is written down.
            let work = Task { await runAttempt(of: record, prepared: prepared, control) }
            state.live[id]?.attempt = LiveTask.Attempt(work: work, control: control)
            state.live[id]?.prepared = nil
        }
    }

    private func runAttempt(of record: TaskRecord, prepared: PreparedRequest?, _ control: AttemptControl) async {
        let runner = AttemptRunner(sessions: sessions, bodies: bodies, now: now)
        let end = await runner.run(record, prepared: prepared, control: control)
        var result = end.result
        if let attempt = end.attempt, !result.mayRestart {
            // Its deadline may have been moved meanwhile.
            result.retryAt = followUp(attempt, of: state.withLock { $0.live[record.id]?.record } ?? record)
        }
        // The place was for the transfer. What follows is the store's, which bounds itself: the next attempt starts
        // only when its own start is stored, and that is behind this end.
        release(record.id, of: record.session)
        // In one go: a task without an attempt and without steps would not be waited for by a closing gateway.
        let (isAbandoned, isMine) = state.withLock { state in
            var task = state.live[record.id] ?? LiveTask(record)
            let isAbandoned = task.attempt?.isAbandoned ?? false
            task.attempt = nil
            if !isAbandoned { task.append(LiveTask.Waiting(step: .end(result))) }
            defer { state.live[record.id] = task }
            return (isAbandoned, !isAbandoned && task.takePen())
        }
        if isAbandoned {
            // The store says that the attempt is under way: that is what the next start finds and recovers.
            await removeBody(of: record.id)
            retireIfIdle(record.id)
        } else if isMine {
            await workOff(record.id)
        }
    }

    /// Removes the body file of a task that has none any more.
    ///
    /// One that cannot be removed now is an orphan: it takes up room and does no other harm.
    func removeBody(of id: TaskID) async {
        do {
            try await bodies.remove(id)
        } catch {
            logger.warning("A body file was left behind", metadata: ["task": "\(id)", "error": "\(error)"])
        }
    }
}
