import Dispatch

/// A dedicated thread that decodes batches, interleaving the items of concurrent batches.
///
/// Decoding a batch of up to `server.max_body` bytes can take seconds. On the cooperative pool, which has one thread
/// per core, a few batches would block every other request. A batch yields after each item, so that a small batch does
/// not wait for a large one.
final class BatchExecutor: TaskExecutor {
    /// The executor shared by all batches.
    static let shared = BatchExecutor()

    private let queue = DispatchQueue(label: "errand.batches")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The runtime retains the job until it has run, which happens exactly once, here.
        queue.async { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
