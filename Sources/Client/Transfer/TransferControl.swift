/// The control of a running transfer.
///
/// Any thread; calls after the end do nothing.
public protocol TransferControl: AnyObject, Sendable {
    /// Resumes receiving after ``ReceiveDecision/pause``.
    func resumeReceiving()
    /// Resumes sending after ``SourceAnswer/pause``, as the ``BodySource`` has bytes available.
    func resumeSending()
    /// Suspends reading and writing until ``resume()``; timeouts do not run meanwhile.
    func suspend()
    /// Resumes the transfer after ``suspend()``.
    func resume()
    /// Cancels the transfer, like canceling the task that runs it.
    func cancel()
    /// The current progress.
    var progress: TransferProgress { get }
}

/// The progress of a transfer: bytes of content in each direction.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes of the request's content handed to the connection.
    public var sent: Int64
    /// The total bytes of the request's content, or `nil` if unknown.
    public var sendTotal: Int64?
    /// Bytes of the response's content received, after decoding.
    public var received: Int64
    /// The total bytes of the response's content, or `nil` if the peer did not state it or encoded the content.
    public var receiveTotal: Int64?
    /// Bytes of the response's content received, before decoding.
    public var receivedOnWire: Int64
    /// The total bytes of the response's content before decoding, or `nil` if the peer did not state it.
    public var receiveTotalOnWire: Int64?

    /// Creates progress; zero bytes and unknown totals by default, and content that is not encoded.
    public init(
        sent: Int64 = 0, sendTotal: Int64? = nil, received: Int64 = 0, receiveTotal: Int64? = nil,
        receivedOnWire: Int64? = nil, receiveTotalOnWire: Int64? = nil
    ) {
        self.sent = sent
        self.sendTotal = sendTotal
        self.received = received
        self.receiveTotal = receiveTotal
        self.receivedOnWire = receivedOnWire ?? received
        self.receiveTotalOnWire = receiveTotalOnWire ?? receiveTotal
    }
}
