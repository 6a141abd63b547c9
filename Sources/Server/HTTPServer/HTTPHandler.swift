/// The application behind a server: a ``Router`` for most, or a type that decides by itself.
///
/// The head is checked before any byte of the body is read, so that a request without a route, a token or an acceptable
/// type is rejected at the cost of its head only.
public protocol HTTPHandler: Sendable {
    /// Returns the identifier of a request, from its head. Runs on the server's thread: do not block.
    ///
    /// Called before ``admit(_:route:)``, which gets it in the head. The problems that the server itself finds later
    /// have the same identifier. The default is `nil`, for none. A handler that wraps another one decides for both.
    func requestID(of head: RequestHead) -> String?

    /// Decides how to process a request, from its head. Runs on the server's thread: decide from memory and do not
    /// block.
    ///
    /// - Parameters:
    ///   - head: The head of the request.
    ///   - route: `nil`; a handler with routes sets it to the pattern of the request's route, for
    ///     ``responseDidBegin(_:)``.
    func admit(_ head: RequestHead, route: inout String?) -> RequestDisposition

    /// Returns the response to a problem that the server itself detects. Runs on the server's thread.
    ///
    /// Such a request is malformed, too large or too slow, or its response cannot be sent. The default is the problem
    /// as it is. Override this to add what every response has, such as an id. A handler that wraps another one decides
    /// for both.
    func response(to problem: ProblemDetails) -> ServerResponse

    /// Notes that the response to a request has begun, for statistics. Runs on the server's thread: do not block.
    ///
    /// Called once for each request that gets a response, also for one that the server itself refuses. The default does
    /// nothing.
    func responseDidBegin(_ response: BegunResponse)

    /// Notes that a response with a ``ServerResponse/tag`` has ended, for logs. Runs on the server's thread: do not
    /// block.
    ///
    /// Called once for each such response that has begun, also if its client has left since. The default does nothing.
    func responseDidEnd(_ response: EndedResponse)
}

extension HTTPHandler {
    /// Returns no identifier.
    public func requestID(of head: RequestHead) -> String? { nil }

    /// Decides how to process a request, from its head, without the pattern of its route.
    public func admit(_ head: RequestHead) -> RequestDisposition {
        var route: String?
        return admit(head, route: &route)
    }

    /// Does nothing.
    public func responseDidBegin(_ response: BegunResponse) {}

    /// Does nothing.
    public func responseDidEnd(_ response: EndedResponse) {}

    /// Returns the problem as a response.
    public func response(to problem: ProblemDetails) -> ServerResponse {
        problem.response()
    }
}
