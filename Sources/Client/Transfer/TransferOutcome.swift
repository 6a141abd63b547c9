import ErrandLocking

/// The result of a transfer.
public struct TransferOutcome: Sendable {
    /// The final response head, if one was received.
    public var head: ResponseHead?
    /// The error, or `nil` if the whole response was received, whatever its status.
    public var error: TransferError?
    /// True if the transfer timed out while it waited for a free connection, before it looked up a name or began to
    /// connect.
    ///
    /// The end of such a transfer says nothing about the peer.
    package var hasOnlyWaited = false
    private var sharedMetrics: Shared<TransferMetrics>

    /// The metrics of the transfer.
    public var metrics: TransferMetrics {
        get { sharedMetrics.value }
        set { sharedMetrics = Shared(newValue) }
    }

    /// Creates an outcome from its parts.
    public init(head: ResponseHead? = nil, error: TransferError? = nil, metrics: TransferMetrics = TransferMetrics()) {
        self.head = head
        self.error = error
        sharedMetrics = Shared(metrics)
    }
}

/// The metrics of one transfer.
///
/// Durations are measured from its start; `nil` if the step was not reached or not needed.
public struct TransferMetrics: Sendable, Hashable {
    /// The time until the name was resolved.
    public var nameLookup: Duration?
    /// The time until the connection was established.
    public var connect: Duration?
    /// The time until the TLS handshake was complete.
    public var tlsHandshake: Duration?
    /// The time until the last byte of the request was handed over.
    public var requestSent: Duration?
    /// The time until the first byte of the response.
    public var firstByte: Duration?
    /// The time until the end.
    public var total: Duration = .zero
    /// The part of the total that the owner had the transfer suspended.
    public var suspended: Duration = .zero
    /// Bytes sent on the wire: heads and content, without TLS and lower layers.
    public var bytesSent: Int64 = 0
    /// Bytes received on the wire: heads and content before decoding.
    public var bytesReceived: Int64 = 0
    /// The address and port of the peer, such as `127.0.0.1:8081` or `[::1]:8081`.
    public var remoteAddress: String?
    /// The protocol version of the response, such as `"1.1"` or `"2"`.
    public var httpVersion: String?
    /// True if the connection had served a transfer before.
    public var connectionReused: Bool = false
    /// The TLS metrics, if TLS was used with the peer.
    public var tls: TLSMetrics?

    /// Creates empty metrics.
    public init() {}
}
