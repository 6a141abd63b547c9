/// The disposition of a request whose head has been received.
public enum RequestDisposition: Sendable {
    /// The response is sent at once.
    ///
    /// A small body that follows is read and dropped. If the body is large, or if the client asks for permission to
    /// send it (`Expect: 100-continue`), the connection is closed after the response.
    case immediate(ServerResponse)
    /// No body is expected; the closure is called when the request is complete.
    ///
    /// A body is read and dropped up to a small limit; above it the response is a 413. The task of the closure is
    /// cancelled when the client disconnects.
    case deferred(@Sendable () async -> ServerResponse)
    /// The body is collected in memory and passed to the closure as a whole.
    ///
    /// A body above `limitBytes` is answered with the response that `tooLarge` makes (a 413), and the connection is
    /// closed.
    case buffered(
        limitBytes: Int, tooLarge: @Sendable () -> ServerResponse, @Sendable ([UInt8]) -> ResponseDisposition)
    /// The body is passed on as it arrives: reading the stream slowly slows the client.
    ///
    /// The closure is called when the head has been received, and may respond before the body is complete: a small
    /// remainder is read and dropped; after a large one the connection is closed. The task of the closure is cancelled
    /// when the client disconnects, and also when it closes its sending side after the body: then
    /// ``RequestBodyStream/isComplete`` is true, and the client may wait for the response.
    case streamed(@Sendable (RequestBodyStream) async -> ServerResponse)
    /// Another disposition, whose responses are changed before they are sent.
    ///
    /// ``changingResponses(_:)`` and ``observingResponses(_:)`` return it.
    indirect case changed(RequestDisposition, by: ResponseChange)
}

/// A response that is available now or later.
public enum ResponseDisposition: Sendable {
    /// An available response, sent on the server's thread without suspending the connection.
    case immediate(ServerResponse)
    /// A closure that makes the response; the connection is suspended until it returns.
    ///
    /// Its task is cancelled when the client disconnects.
    case deferred(@Sendable () async -> ServerResponse)
}
