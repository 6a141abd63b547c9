import ErrandTransfer

/// The further requests of an attempt, and the rate that they share with its own: a value that its owner keeps under a
/// lock.
struct FurtherRequests: Sendable {
    /// The controls of the requests that run.
    private(set) var controls: [AttemptControl] = []
    /// The maximum rate of all requests of the attempt together; `nil` for none.
    var pace: Int64?
    /// The number of bytes that ended requests have received.
    private var endedBytes: Int64 = 0

    /// Adds a request that begins.
    mutating func add(_ control: AttemptControl) {
        controls.append(control)
    }

    /// Removes a request that has ended.
    ///
    /// - Parameter received: The number of bytes that it has received.
    mutating func remove(_ control: AttemptControl, received: Int64) {
        controls.removeAll { $0 === control }
        endedBytes += received
    }

    /// Returns the rate of each request; `nil` for no limit.
    ///
    /// - Parameter isTransferring: True if the attempt's own request runs.
    func share(isTransferring: Bool) -> Int64? {
        let count = Int64(controls.count) + (isTransferring || controls.isEmpty ? 1 : 0)
        return pace.map { max($0 / count, 1) }
    }

    /// Returns the progress of the attempt's own request with the bytes of these, whose total is unknown.
    ///
    /// Asks the requests for their progress, so not to be called under the lock.
    func added(to progress: TransferProgress) -> TransferProgress {
        guard endedBytes > 0 || !controls.isEmpty else { return progress }
        let received = controls.reduce(endedBytes) { $0 + $1.progress.received }
        var progress = progress
        (progress.receiveTotal, progress.receiveTotalOnWire) = (nil, nil)
        progress.received += received
        progress.receivedOnWire += received
        return progress
    }
}
