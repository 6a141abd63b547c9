import ErrandLocking

/// A task executor that runs jobs only when a test says so.
///
/// After ``runAll()`` each task on it has ended or waits for an event: a test can check that something did not happen.
package final class StepExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var runsFreely = false
    }

    private let state = Mutex(State())

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let runsFreely = state.withLock { state in
            if !state.runsFreely { state.jobs.append(job) }
            return state.runsFreely
        }
        if runsFreely { BlockingThread.run { [self] in run(job) } }
    }

    /// Runs jobs, in order, until none is left.
    package func runAll() {
        while let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) { run(job) }
    }

    /// Runs all jobs from now on, those of the future on threads of their own.
    ///
    /// For tasks that an event of another thread continues.
    package func runFreely() {
        state.withLock { $0.runsFreely = true }
        runAll()
    }

    private func run(_ job: UnownedJob) {
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
