/// A performer of transfers: the interface between the session manager and the network.
///
/// `CurlEngine` is the production implementation; tests script their own.
public protocol Transport: Sendable {
    /// Runs one transfer to its end.
    ///
    /// Canceling the calling task cancels the transfer: its connection (HTTP/2: its stream) is closed at once and the
    /// outcome's error is ``TransferError/canceled``. An outcome that was decided before does not change.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - receiver: Receives the final response head and the content, on the transport's thread.
    /// - Returns: The outcome. Never throws, as a failed transfer has metrics too.
    func perform(_ request: TransferRequest, receiver: any TransferReceiver) async -> TransferOutcome

    /// Connects to the host and port of a URL, through the proxy if there is one, and closes the connection again.
    ///
    /// Nothing is sent, and no TLS handshake begins. Canceling the calling task ends it at once.
    ///
    /// - Returns: The error, or `nil` if the connection succeeded.
    func connect(to url: HTTPURL, timeout: Duration) async -> TransferError?

    /// Stops sending requests, because the options of this transport are no longer in force.
    ///
    /// A transfer whose request has been sent continues; a transfer that still waits for a connection, or begins later,
    /// ends with `session_closed`. Any thread.
    func retire()

    /// Closes the connections that no transfer uses, and those in use when their transfers have ended.
    ///
    /// Transfers that begin later open new ones. Any thread.
    func renewConnections()
}

extension Transport {
    /// Does nothing: the default for transports whose connections are not replaced.
    public func renewConnections() {}

    /// Does nothing: the default for transports that are never retired.
    public func retire() {}
}
