/// What a server asks when a request comes in.
///
/// The head is judged before a byte of the body is read, so that a request without a route, a token or an acceptable
/// type is refused for the price of its head.
public protocol HTTPHandler: Sendable {
    /// Judges a head. Called on the server's thread: decide from memory, do not wait.
    func admit(_ head: RequestHead) -> Admission

    /// Makes the answer to what the server refuses by itself: a request that is malformed, too large or too slow, or
    /// whose answer cannot be sent. Called on the server's thread. By default the problem as it is.
    ///
    /// The place for what every answer has, such as an id. A handler that wraps another decides for both.
    func answer(to problem: ProblemDetails) -> ServerResponse
}

extension HTTPHandler {
    /// The problem as it is.
    public func answer(to problem: ProblemDetails) -> ServerResponse {
        problem.response()
    }
}
