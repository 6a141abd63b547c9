import ErrandMetrics
import ErrandTaskStore

extension StoreWork {
    /// Writes the metrics of the store.
    func writeMetrics(to writer: inout MetricsWriter) {
        writer.family(
            "errand_store_commit_duration_seconds", kind: .histogram, help: "Time of a transaction that was committed.")
        writer.sample(commitSeconds)
        writer.family("errand_store_commit_operations", kind: .histogram, help: "Operations that shared a transaction.")
        writer.sample(operationsPerCommit)
        writer.family(
            "errand_store_failed_operations", kind: .counter, help: "Operations that were refused or not committed.")
        writer.sample(failedOperations)
        writer.family("errand_store_waiting_operations", kind: .gauge, help: "Operations that wait for a transaction.")
        writer.sample(waitingOperations)
        writer.family(
            "errand_store_transaction_age_seconds", kind: .gauge,
            help: "Time since the transaction under way began; 0 without one.")
        writer.sample(transactionAge.map { $0 / .seconds(1) } ?? 0)
        writer.family("errand_store_log_bytes", kind: .gauge, help: "Approximate content of the write-ahead log.")
        writer.sample(logBytes)
    }
}
