import Locking
import Logging
import SessionCore
import TaskAdmission
package import TaskStore

/// The dispatcher's own beginning and end.
extension Dispatcher {
    /// Takes up what an earlier process left, then starts tasks.
    ///
    /// An attempt that was under way is lost: whether its request arrived, nobody knows. A task told `canceling`
    /// becomes canceled. One that may be sent again (``Recovery``) is queued again, any other fails with `interrupted`.
    /// One that stood still is suspended without an attempt then, or fails in the same way.
    ///
    /// - Parameter marks: What operators did to sessions before.
    package func open(marks: [SessionMark] = []) async throws(TaskStoreError) {
        try await recover()
        let counts = try await store.counts()
        state.withLock { state in
            for mark in marks { state.apply(mark) }
            for session in counts.sessions where counts[session, .queued] > 0 {
                state.admission.noteStored(session: session)
            }
            state.isOpen = true
        }
        warnOfUnconfigured(counts)
        startAlarms()
        startSweeps()
        pump()
    }

    /// Tells of tasks that wait for a session which is not configured.
    func warnOfUnconfigured(_ counts: TaskCounts) {
        for session in counts.sessions where sessions[session] == nil && counts[session, .queued] > 0 {
            logger.warning(
                "Queued tasks of a session that is not configured stay queued",
                metadata: ["session": "\(session)", "tasks": "\(counts[session, .queued])"])
        }
    }

    /// Starts nothing more and waits until the attempts under way have ended, `patience` at most; what is left then is
    /// cut off and stays `running` in the store for the next start to recover.
    ///
    /// Attempts that stand still would not end: they are cut off at once.
    package func close(patience: Duration) async {
        state.withLock { $0.isOpen = false }
        await stopSweeps()
        cutOff { $0.control.isSuspended }
        let cutOff = Task {
            // Cancelled when everything has ended in time.
            guard (try? await Task.sleep(for: patience)) != nil else { return }
            abandon()
        }
        await untilIdle()
        cutOff.cancel()
        await cutOff.value
        // What they have begun waits for the steps of tasks, which may wait for a store until they are cut off.
        await stopAlarms()
        watchers.close()
    }

    private func abandon() {
        state.withLock { $0.isAbandoning = true }
        cutOff { _ in true }
    }

    private func cutOff(where isMeant: (LiveTask.Attempt) -> Bool) {
        let attempts = state.withLock { state in
            let attempts = state.live.compactMapValues(\.attempt).filter { isMeant($0.value) }
            for id in attempts.keys { state.live[id]?.attempt?.isAbandoned = true }
            return attempts
        }
        if !attempts.isEmpty {
            logger.warning("Cut off attempts under way", metadata: ["attempts": "\(attempts.count)"])
        }
        for attempt in attempts.values { attempt.work.cancel() }
    }

    private func untilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                guard !state.live.isEmpty else { return true }
                state.idleWaiters.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }
}
