/// How a transfer ended.
public struct TransferOutcome: Sendable {
    /// The final response head, when one came.
    public var head: ResponseHead?
    /// Why it failed, or `nil` when the whole response was received, whatever its status.
    public var error: TransferError?
    /// What was measured.
    public var metrics: TransferMetrics

    /// Creates an outcome from its parts.
    public init(head: ResponseHead? = nil, error: TransferError? = nil, metrics: TransferMetrics = TransferMetrics()) {
        self.head = head
        self.error = error
        self.metrics = metrics
    }
}

/// What was measured of one transfer.
///
/// Times are from its start; `nil` where the step was not reached or not needed.
public struct TransferMetrics: Sendable, Hashable {
    /// The name was resolved.
    public var nameLookup: Duration?
    /// The connection was made.
    public var connect: Duration?
    /// The TLS handshake was done.
    public var tlsHandshake: Duration?
    /// The last byte of the request was handed over.
    public var requestSent: Duration?
    /// The first byte of the response came.
    public var firstByte: Duration?
    /// The end.
    public var total: Duration = .zero
    /// Of the total, the time that the owner had the transfer suspended.
    public var suspended: Duration = .zero
    /// Bytes sent on the wire: heads and content, without TLS and below.
    public var bytesSent: Int64 = 0
    /// Bytes received on the wire: heads and content as coded.
    public var bytesReceived: Int64 = 0
    /// The address and port of the peer, such as `127.0.0.1:8081` or `[::1]:8081`.
    public var remoteAddress: String?
    /// The protocol version of the response, such as `"1.1"` or `"2"`.
    public var httpVersion: String?
    /// The connection had served a transfer before.
    public var connectionReused: Bool = false
    /// What TLS agreed on, where it was spoken with the peer.
    public var tls: TLSMetrics?

    /// Creates empty metrics.
    public init() {}
}
