/// The application behind a server.
///
/// The head is checked before any byte of the body is read, so that a request without a route, a token or an acceptable
/// type is rejected at the cost of its head only.
public protocol HTTPHandler: Sendable {
    /// Decides how to process a request, from its head. Runs on the server's thread: decide from memory and do not
    /// block.
    func admit(_ head: RequestHead) -> RequestDisposition

    /// Returns the response to a problem that the server itself detects. Runs on the server's thread.
    ///
    /// Such a request is malformed, too large or too slow, or its response cannot be sent. The default is the problem
    /// as it is. Override this to add what every response has, such as an id. A handler that wraps another one decides
    /// for both.
    func response(to problem: ProblemDetails) -> ServerResponse
}

extension HTTPHandler {
    /// Returns the problem as a response.
    public func response(to problem: ProblemDetails) -> ServerResponse {
        problem.response()
    }
}
