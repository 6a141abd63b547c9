/// A performer of transfers: the interface between the session manager and the network.
///
/// `CurlEngine` is the production implementation; tests script their own.
public protocol Transport: Sendable {
    /// Runs one transfer to its end.
    ///
    /// Cancelling the calling task cancels the transfer: its connection (HTTP/2: its stream) is closed at once and the
    /// outcome's error is ``TransferError/canceled``. An outcome that was decided before does not change.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - receiver: Receives the final response head and the content, on the transport's thread.
    /// - Returns: The outcome. Never throws, as a failed transfer has metrics too.
    func perform(_ request: TransferRequest, receiver: any TransferReceiver) async -> TransferOutcome

    /// Connects to the host and port of a URL, through the proxy if there is one, and closes the connection again.
    ///
    /// Nothing is sent, and no TLS handshake begins. Cancelling the calling task ends it at once.
    ///
    /// - Returns: The error, or `nil` if the connection succeeded.
    func connect(to url: HTTPURL, timeout: Duration) async -> TransferError?

    /// Stops sending requests, because the options of this transport are no longer in force.
    ///
    /// A transfer whose request has been sent continues; a transfer that still waits for a connection, or begins later,
    /// ends with `session_closed`. Any thread.
    func retire()
}

extension Transport {
    /// Does nothing: the default for transports that are never retired.
    public func retire() {}
}

/// A receiver of the response of one transfer.
///
/// All calls come one at a time from the transport's thread and must return quickly without blocking.
public protocol TransferReceiver: AnyObject, Sendable {
    /// Called when the transfer has begun; `control` stays valid after its end, when it does nothing.
    func transferDidStart(_ control: any TransferControl)

    /// Called when the response head has come; informational ones (1xx) are not reported.
    ///
    /// - Returns: The decision whether to continue: ``HeadDecision/stop(_:)`` closes the connection and ends the
    ///   transfer with the given error.
    func transferDidReceive(_ head: ResponseHead) -> HeadDecision

    /// Called with decoded content, which is valid only during the call and counts as consumed when it returns.
    func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision
}

/// A receiver's answer to a response head.
public enum HeadDecision: Sendable {
    /// Continue with the content.
    case proceed
    /// End the transfer with this error.
    case stop(TransferError)
}

/// A receiver's answer to content.
public enum ReceiveDecision: Sendable {
    /// The bytes were consumed; more may come.
    case more
    /// The bytes were consumed; no more may come until ``TransferControl/resumeReceiving()`` is called.
    case pause
    /// End the transfer with this error.
    case stop(TransferError)
}

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
    /// Cancels the transfer, like cancelling the task that runs it.
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

    /// Creates progress; zero bytes and unknown totals by default.
    public init(sent: Int64 = 0, sendTotal: Int64? = nil, received: Int64 = 0, receiveTotal: Int64? = nil) {
        self.sent = sent
        self.sendTotal = sendTotal
        self.received = received
        self.receiveTotal = receiveTotal
    }
}

/// A source of the content of a request, read piece by piece on the transport's thread.
///
/// Methods must return quickly without blocking.
public protocol BodySource: AnyObject, Sendable {
    /// The total number of bytes, or `nil`: the content is then sent chunked (HTTP/1.1).
    var length: Int64? { get }
    /// Called before a transfer reads from the source, the first time or after ``end()``.
    ///
    /// - Parameter resume: A closure to call, on any thread, when bytes are available again after
    ///   ``SourceAnswer/pause``.
    func begin(resume: @escaping @Sendable () -> Void)
    /// Called when the transfer stops reading, at the end or before; the source may close its resources.
    func end()
    /// Writes the next bytes into `buffer`, which has room for at least one.
    func read(into buffer: inout OutputRawSpan) -> SourceAnswer
    /// Rewinds to the first byte for a resend; returns `false` if that is impossible.
    func rewind() -> Bool
}

extension BodySource {
    /// Does nothing: the default for a source that never pauses.
    public func begin(resume: @escaping @Sendable () -> Void) {}
    /// Does nothing: the default for a source without resources to close.
    public func end() {}
}

/// The result of reading from a body source.
public enum SourceAnswer: Sendable {
    /// Bytes were written into the buffer.
    case bytes
    /// No bytes are available now: ``TransferControl/resumeSending()`` will be called when there are.
    case pause
    /// The content is complete.
    case end
    /// Reading failed; the transfer ends with this error.
    case failed(TransferError)
}
