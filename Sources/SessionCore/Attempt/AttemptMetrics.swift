import Transfer

extension TransferMetrics {
    /// What was measured of this transfer and of the one that went before it in the same attempt, as of one.
    ///
    /// The times of the steps are those of the later transfer, counted from the start of the earlier one; totals and
    /// bytes are of both.
    func following(_ earlier: TransferMetrics) -> TransferMetrics {
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

    /// The part of the total that counts for limits of time.
    var active: Duration { total - suspended }
}
