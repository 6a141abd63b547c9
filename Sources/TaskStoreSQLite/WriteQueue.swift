/// What waits for the writer: a value without I/O.
///
/// At most one turn of the writer is under way. It takes batch after batch, until nothing is left.
struct WriteQueue<Job> {
    private var waiting: [Job] = []
    private var isBeingTaken = false
    private var isClosed = false
    private let maxBatch: Int

    /// Creates an empty queue.
    ///
    /// - Parameter maxBatch: The most that are taken at once, which bounds the time that the first of them waits for
    ///   the last.
    init(maxBatch: Int = 1024) {
        self.maxBatch = maxBatch
    }

    /// How many wait.
    var count: Int { waiting.count }

    /// What is to be done with something that was submitted.
    enum Admission {
        /// A turn is under way that will take it.
        case waits
        /// It waits, and the caller has to start a turn.
        case starts
        /// The queue is closed.
        case refused
    }

    /// Adds something at the end.
    mutating func submit(_ job: Job) -> Admission {
        submit(contentsOf: CollectionOfOne(job))
    }

    /// Adds some things at the end, next to each other.
    mutating func submit(contentsOf jobs: some Collection<Job>) -> Admission {
        guard !isClosed else { return .refused }
        guard !jobs.isEmpty else { return .waits }
        waiting.append(contentsOf: jobs)
        guard !isBeingTaken else { return .waits }
        isBeingTaken = true
        return .starts
    }

    /// Takes from the front; `nil` when nothing waits, which ends the turn.
    mutating func takeBatch() -> [Job]? {
        guard !waiting.isEmpty else {
            isBeingTaken = false
            return nil
        }
        if waiting.count <= maxBatch {
            defer { waiting = [] }
            return waiting
        }
        defer { waiting.removeFirst(maxBatch) }
        return Array(waiting.prefix(maxBatch))
    }

    /// Refuses what comes from now on; what waits is still taken.
    ///
    /// - Returns: Whether it was open.
    mutating func close() -> Bool {
        defer { isClosed = true }
        return !isClosed
    }
}
