import ErrandLocking

/// A task executor that runs jobs only when a test says so.
///
/// After ``runAll()`` each task on it has ended or waits for an event: a test can check that something did not happen.
package final class StepExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs jobs, in order, until none is left.
    package func runAll() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
