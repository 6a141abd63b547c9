package import ErrandMetrics

/// The work of a store since it was opened.
package struct StoreWork: Sendable, Hashable {
    /// The limits of the buckets for commits, in seconds.
    package static let commitLimits = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]
    /// The limits of the buckets for the operations of a commit.
    package static let operationLimits: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]

    /// The times of commits in seconds, from the begin of the transaction.
    package private(set) var commitSeconds = Histogram(limits: Self.commitLimits)
    /// The numbers of operations that shared a commit.
    package private(set) var operationsPerCommit = Histogram(limits: Self.operationLimits)
    /// The operations that were refused for lack of space, or could not be committed.
    package private(set) var failedOperations = 0
    /// The operations that wait for a transaction.
    package var waitingOperations = 0
    /// The time since the transaction under way began; `nil` if there is none.
    package var transactionAge: Duration?
    /// The approximate content of the write-ahead log, in bytes.
    package var logBytes = 0

    /// Creates a value of a store that has done nothing.
    package init() {}

    /// Counts a commit.
    package mutating func didCommit(operations: Int, in duration: Duration) {
        commitSeconds.observe(duration / .seconds(1))
        operationsPerCommit.observe(Double(operations))
    }

    /// Counts operations that failed.
    package mutating func didFail(operations: Int) {
        failedOperations += operations
    }
}
