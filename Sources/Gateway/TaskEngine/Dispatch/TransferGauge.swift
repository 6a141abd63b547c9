import ErrandSessionCore
import ErrandTransfer

/// A gauge of the rates of one attempt, from its progress at the moments at which it is read.
///
/// It costs nothing until the progress is read for the first time; the first rates are those since the attempt began.
/// Used only under the dispatcher's lock.
final class TransferGauge {
    private var upload = ProgressMeter()
    private var download = ProgressMeter()

    /// Creates a gauge.
    ///
    /// - Parameter begin: The time at which the attempt began.
    init(since begin: ContinuousClock.Instant) {
        upload.count(0, decoded: 0, total: nil, at: begin)
        download.count(0, decoded: 0, total: nil, at: begin)
    }

    /// Returns the rates up to now.
    ///
    /// - Parameter progress: The progress of the current transfer of the attempt.
    func rates(at progress: TransferProgress, _ now: ContinuousClock.Instant) -> TransferRates {
        upload.count(progress.sent, decoded: progress.sent, total: progress.sendTotal, at: now)
        download.count(progress.received, decoded: progress.received, total: progress.receiveTotal, at: now)
        return TransferRates(sent: upload.bytesPerSecond, received: download.bytesPerSecond)
    }
}

/// The rates of a transfer in both directions.
package struct TransferRates: Sendable, Hashable {
    /// The rate of the request's content in bytes per second; `nil` if it is unknown.
    package var sent: Int64?
    /// The rate of the response's content, decoded, in bytes per second; `nil` if it is unknown.
    package var received: Int64?

    /// Creates rates; unknown by default.
    package init(sent: Int64? = nil, received: Int64? = nil) {
        self.sent = sent
        self.received = received
    }
}
