package import ErrandTransfer

extension TransferMetrics {
    /// Returns the combined metrics of this transfer and the preceding one of the same attempt.
    ///
    /// The times of the steps are those of the later transfer, measured from the start of the earlier one; totals and
    /// bytes are sums.
    package func following(_ earlier: TransferMetrics) -> TransferMetrics {
        var metrics = self
        let offset = earlier.total
        metrics.nameLookup = nameLookup.map { $0 + offset }
        metrics.connect = connect.map { $0 + offset }
        metrics.tlsHandshake = tlsHandshake.map { $0 + offset }
        metrics.requestSent = requestSent.map { $0 + offset }
        metrics.firstByte = firstByte.map { $0 + offset }
        metrics.total = total + offset
        metrics.suspended += earlier.suspended
        metrics.bytesSent += earlier.bytesSent
        metrics.bytesReceived += earlier.bytesReceived
        return metrics
    }

    /// The part of the total that counts towards timeouts.
    var active: Duration { total - suspended }
}
