/// Who performs transfers: the seam between the session manager and the network.
///
/// `CurlEngine` is the real one; tests script their own.
public protocol Transport: Sendable {
    /// Runs one transfer to its end.
    ///
    /// Cancelling the calling task cancels the transfer: its connection (HTTP/2: its stream) is closed at once and the
    /// outcome's error is ``TransferError/canceled``. A transfer whose outcome was decided before is not changed by it.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - receiver: Gets the final response head and the content, on the transport's thread.
    /// - Returns: How it ended. Never throws: a failed transfer has metrics too.
    func perform(_ request: TransferRequest, receiver: any TransferReceiver) async -> TransferOutcome

    /// Makes a connection to the host and port of a URL, over the proxy if there is one, and closes it again: nothing
    /// is sent, and TLS is not begun.
    ///
    /// Cancelling the calling task ends it at once.
    ///
    /// - Returns: Why there is none, or `nil` when there was one.
    func connect(to url: HTTPURL, timeout: Duration) async -> TransferError?

    /// Sends no further request: what it was made with is not in force any more.
    ///
    /// A transfer whose request has been sent goes on; one that still waits for a connection, or begins later, ends with
    /// `session_closed`. Any thread.
    func retire()
}

extension Transport {
    /// Does nothing: for transports that nobody retires.
    public func retire() {}
}

/// Who takes in what a transfer brings.
///
/// All calls for one transfer come one at a time from the transport's thread: return quickly, never wait. A receiver
/// serves one transfer.
public protocol TransferReceiver: AnyObject, Sendable {
    /// The transfer has begun and can be steered through `control`, which stays valid (and does nothing) after its end.
    func transferDidStart(_ control: any TransferControl)

    /// A response head has come; informational ones (1xx) are not reported.
    ///
    /// - Returns: Whether the content is wanted: ``HeadDecision/stop(_:)`` closes the connection and ends the transfer
    ///   with the given error.
    func transferDidReceive(_ head: ResponseHead) -> HeadDecision

    /// Content has come, decoded. The bytes are only valid during the call and have been taken when it returns.
    func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision
}

/// What a receiver says to a response head.
public enum HeadDecision: Sendable {
    /// Go on with the content.
    case proceed
    /// End the transfer with this error.
    case stop(TransferError)
}

/// What a receiver says to content.
public enum ReceiveDecision: Sendable {
    /// More, please.
    case more
    /// The bytes are taken, and no more can be until ``TransferControl/resumeReceiving()`` is called.
    case pause
    /// End the transfer with this error.
    case stop(TransferError)
}

/// A running transfer as its owner steers it.
///
/// Any thread; calls after the end do nothing.
public protocol TransferControl: AnyObject, Sendable {
    /// Takes up a receive that was answered with ``ReceiveDecision/pause``.
    func resumeReceiving()
    /// A ``BodySource`` that had nothing to give has something now.
    func resumeSending()
    /// Stops reading and writing until ``resume()``; timers stand still meanwhile.
    func suspend()
    /// Ends a ``suspend()``.
    func resume()
    /// Ends the transfer, as cancelling the task that runs it does.
    func cancel()
    /// How far the transfer is, live.
    var progress: TransferProgress { get }
}

/// How far a transfer is: bytes of content in each direction.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes of the request's content handed to the connection.
    public var sent: Int64
    /// Bytes of the request's content, or `nil` when nobody knows.
    public var sendTotal: Int64?
    /// Bytes of the response's content received, after decoding.
    public var received: Int64
    /// Bytes of the response's content to come in all, or `nil` when the peer did not say (or coded the content).
    public var receiveTotal: Int64?

    /// Creates progress; nothing done and nothing known by default.
    public init(sent: Int64 = 0, sendTotal: Int64? = nil, received: Int64 = 0, receiveTotal: Int64? = nil) {
        self.sent = sent
        self.sendTotal = sendTotal
        self.received = received
        self.receiveTotal = receiveTotal
    }
}

/// Where the content of a request comes from, piece by piece, on the transport's thread.
///
/// Return quickly, never wait.
public protocol BodySource: AnyObject, Sendable {
    /// The number of bytes in all, or `nil`: the content is then sent chunked (HTTP/1.1).
    var length: Int64? { get }
    /// A transfer is about to read from the source, the first time or after ``end()``.
    ///
    /// - Parameter resume: To be called, on any thread, when there is something again after ``SourceAnswer/pause``.
    func begin(resume: @escaping @Sendable () -> Void)
    /// The transfer reads no more, whether it has read everything or not: nothing needs to be kept open.
    func end()
    /// Writes the next bytes into `buffer`, which has room for at least one.
    func read(into buffer: inout OutputRawSpan) -> SourceAnswer
    /// Starts again from the first byte, for a resend. `false` when that cannot be done.
    func rewind() -> Bool
}

extension BodySource {
    /// Nothing to do for a source that never pauses.
    public func begin(resume: @escaping @Sendable () -> Void) {}
    /// Nothing to do for a source that keeps nothing open.
    public func end() {}
}

/// What a body source had to give.
public enum SourceAnswer: Sendable {
    /// The buffer has new bytes.
    case bytes
    /// Nothing right now: ``TransferControl/resumeSending()`` will be called when there is.
    case pause
    /// There is no more.
    case end
    /// It cannot go on; the transfer ends with this error.
    case failed(TransferError)
}
