import ErrandLocking

/// The operations that wait for the writer: a value without I/O.
///
/// At most one drain of the queue is running. It takes batch after batch until the queue is empty.
struct WriteQueue<Job> {
    private var jobs = DrainQueue<Job>()
    private var isClosed = false
    private let maxBatch: Int

    /// Creates an empty queue.
    ///
    /// - Parameter maxBatch: The most operations in one batch, which bounds the time that the first waits for the last.
    init(maxBatch: Int = 1024) {
        self.maxBatch = maxBatch
    }

    /// The number of waiting operations.
    var count: Int { jobs.count }

    /// The result of submitting an operation.
    enum Admission {
        /// A running drain will take the operation.
        case waits
        /// The operation waits, and the caller must start a drain.
        case starts
        /// The queue is closed.
        case refused
    }

    /// Adds an operation at the end.
    mutating func submit(_ job: Job) -> Admission {
        submit(contentsOf: CollectionOfOne(job))
    }

    /// Adds several operations at the end, next to each other.
    mutating func submit(contentsOf jobs: some Collection<Job>) -> Admission {
        guard !isClosed else { return .refused }
        return self.jobs.append(contentsOf: jobs) ? .starts : .waits
    }

    /// Removes a batch from the front; returns `nil` if the queue is empty, which ends the drain.
    mutating func takeBatch() -> [Job]? {
        jobs.next(atMost: maxBatch)
    }

    /// Refuses further operations.
    ///
    /// The waiting ones are still taken.
    ///
    /// - Returns: True if the queue was open.
    mutating func close() -> Bool {
        defer { isClosed = true }
        return !isClosed
    }
}
