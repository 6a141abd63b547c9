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
    /// canceled when the client disconnects.
    case deferred(@Sendable () async -> ServerResponse)
    /// The body is collected in memory and passed to the closure as a whole.
    ///
    /// A body above `limitBytes` is answered with the response that `tooLarge` makes (a 413), and the connection is
    /// closed.
    case buffered(
        limitBytes: Int, tooLarge: @Sendable () -> ServerResponse, @Sendable ([UInt8]) -> BufferedDisposition)
    /// The body is passed on as it arrives: reading the stream slowly slows the client.
    ///
    /// The closure is called when the head has been received, and may respond before the body is complete: a small
    /// remainder is read and dropped; after a large one the connection is closed. The task of the closure is canceled
    /// when the client disconnects, and also when it closes its sending side after the body: then
    /// ``RequestBodyStream/isComplete`` is true, and the client may wait for the response.
    case streamed(@Sendable (RequestBodyStream) async -> ServerResponse)
    /// Another disposition, whose responses are changed before they are sent.
    ///
    /// ``changingResponses(_:)`` and ``observingResponses(_:)`` return it.
    indirect case changed(RequestDisposition, by: ResponseChange)
}

/// The response to a request whose body was collected in memory: available now or later.
public enum BufferedDisposition: Sendable {
    /// An available response, sent on the server's thread without suspending the connection.
    case immediate(ServerResponse)
    /// A closure that makes the response; the connection is suspended until it returns.
    ///
    /// Its task is canceled when the client disconnects.
    case deferred(@Sendable () async -> ServerResponse)
}

extension RequestDisposition {
    /// Returns the disposition of a request whose body is collected in memory, and refused with a 413 if it is longer.
    ///
    /// ```swift
    /// Route(.post, "/lines") { _, _ in
    ///     .buffered(atMost: 1 << 20) { content in
    ///         .immediate(ServerResponse(status: .ok, body: .bytes(content)))
    ///     }
    /// }
    /// ```
    ///
    /// The 413 is a problem of the type ``ProblemType/contentTooLarge`` that states the limit;
    /// ``buffered(limitBytes:tooLarge:_:)`` sends another response instead.
    ///
    /// - Parameters:
    ///   - limitBytes: The maximum size of the body, in bytes.
    ///   - respond: Returns the response to the body. Runs on the server's thread: do not block.
    public static func buffered(
        atMost limitBytes: Int, _ respond: @escaping @Sendable ([UInt8]) -> BufferedDisposition
    ) -> RequestDisposition {
        let tooLarge: @Sendable () -> ServerResponse = {
            let error = RequestBodyError.tooLarge(limitBytes: limitBytes)
            return ProblemDetails(.contentTooLarge, detail: error.description).response()
        }
        return .buffered(limitBytes: limitBytes, tooLarge: tooLarge, respond)
    }
}
