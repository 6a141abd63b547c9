import ErrandMetrics
import ErrandTaskStore

extension StoreWork {
    /// Writes the metrics of the store.
    func writeMetrics(to writer: inout MetricsWriter) {
        writer.family("errand_store_commit_duration_seconds", .histogram, "Time of a transaction that was committed.")
        writer.sample(commitSeconds)
        writer.family("errand_store_commit_operations", .histogram, "Operations that shared a transaction.")
        writer.sample(operationsPerCommit)
        writer.family("errand_store_failed_operations", .counter, "Operations that were refused or not committed.")
        writer.sample(failedOperations)
        writer.family("errand_store_waiting_operations", .gauge, "Operations that wait for a transaction.")
        writer.sample(waitingOperations)
        writer.family("errand_store_log_bytes", .gauge, "Approximate content of the write-ahead log.")
        writer.sample(logBytes)
    }
}
