import ErrandHTTPServer

/// A message from another thread to the server's thread.
///
/// libmicrohttpd can lose a call from another thread that resumes a connection. Therefore connections are resumed on
/// the server's thread, when it reads its messages.
enum ServerMessage: Sendable {
    /// The handler has responded.
    case response(Exchange, ServerResponse)
    /// The stream of the response has a part, or has ended with `nil`.
    case part(Exchange, Result<[UInt8]?, any Error>)
    /// The stream of the content wants more.
    case demand(Exchange)
    /// New connections shall use other TLS credentials; then `done` is called.
    case credentials(TLSCredentials, done: @Sendable () -> Void)
    /// The server shall stop, at the latest after the given time, and then call `done`.
    case stop(after: Milliseconds, done: @Sendable () -> Void)
}
