package import ErrandJSON
import ErrandTaskStore
package import ErrandTransfer

/// The progress of tasks.
extension TaskRenderer {
    /// Writes the progress of a transfer.
    ///
    /// - Parameter rates: The rates of the transfer; unknown for one that has ended.
    package static func write(
        _ progress: TransferProgress, rates: TransferRates = TransferRates(), to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.member("upload")
        write(progress.sent, of: progress.sendTotal, rates.sent, to: &writer)
        writer.member("download")
        write(progress.received, of: progress.receiveTotal, rates.received, to: &writer)
        writer.endObject()
    }

    private static func write(_ completed: Int64, of total: Int64?, _ rate: Int64?, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("completed", completed)
        writer.member("total", total)
        writer.member("fraction")
        writer.double(total.flatMap { $0 > 0 ? Double(completed) / Double($0) : nil })
        writer.member("bytes_per_second", rate)
        writer.member("time_left", secondsLeft(completed, of: total, rate).map { "\($0)s" })
        writer.endObject()
    }

    /// Returns the time until the end, in whole seconds rounded up; `nil` if it is unknown.
    private static func secondsLeft(_ completed: Int64, of total: Int64?, _ rate: Int64?) -> Int64? {
        guard let total, let rate, rate > 0 else { return nil }
        let left = max(total - completed, 0)
        return left / rate + (left % rate == 0 ? 0 : 1)
    }

    /// Writes the part of a download that its next attempt does not request again; null if that was not read.
    static func writeResume(of record: TaskRecord, _ bytes: Int64?, to writer: inout JSONWriter) {
        guard let bytes = record.mayBeResumed ? bytes : 0 else { return writer.null() }
        writer.beginObject()
        writer.member("available", bytes > 0)
        writer.member("bytes", bytes)
        writer.endObject()
    }
}

extension TaskRecord {
    /// True if another attempt may continue a partial file of the task: one of its own, or one of its retry.
    var mayBeResumed: Bool {
        switch state {
        case .succeeded: false
        case .canceled: keepsPartialFile
        case .scheduled, .queued, .running, .waiting, .suspended, .canceling, .failed: kind.handler.writesFiles
        }
    }
}
