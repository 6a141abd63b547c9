import ErrandSessionCore
import ErrandTransfer

/// The connections for the parts of a download, during one attempt: a value.
struct PartConnections: Sendable {
    /// The attempt; `nil` before the first one and after the end of the task.
    let attempt: RunningAttempt?
    /// The request for the whole content.
    var request: PreparedRequest?
    /// The tasks that receive parts beside the first response.
    var tasks: [Task<Void, Never>] = []
    /// The bytes on the wire of the parts.
    var bytesSent: Int64 = 0
    var bytesReceived: Int64 = 0
    /// True if a part was suspended for too long, so that the download begins another attempt when it is resumed.
    var mayRestart = false
    private var controls: [Int: AttemptControl] = [:]
    private var isCanceled = false
    /// The number of bytes that were written since the record of the partial file was.
    private var unrecorded: Int64 = 0

    /// Creates the connections of an attempt.
    init(of attempt: RunningAttempt? = nil) {
        self.attempt = attempt
    }

    /// Records the request for a part; returns false if no more parts are received.
    mutating func add(_ control: AttemptControl, number: Int) -> Bool {
        guard !isCanceled else { return false }
        controls[number] = control
        return true
    }

    /// Records the end of a part.
    mutating func end(_ number: Int, _ metrics: TransferMetrics) {
        controls[number] = nil
        bytesSent += metrics.bytesSent
        bytesReceived += metrics.bytesReceived
    }

    /// Receives no more parts; returns the controls of those that are under way.
    mutating func cancel() -> [AttemptControl] {
        isCanceled = true
        return Array(controls.values)
    }

    /// Counts written bytes; returns true if the record is due.
    ///
    /// - Parameter total: The number of bytes of the whole content.
    mutating func countWritten(_ bytes: Int, of total: Int64) -> Bool {
        unrecorded += Int64(bytes)
        guard unrecorded >= min(max(total / 64, 256 << 10), 16 << 20) else { return false }
        unrecorded = 0
        return true
    }
}
