/// A response that is available now or later.
public enum ResponseDisposition: Sendable {
    /// An available response, sent on the server's thread without suspending the connection.
    case immediate(ServerResponse)
    /// A closure that makes the response; the connection is suspended until it returns.
    ///
    /// Its task is cancelled when the client disconnects.
    case deferred(@Sendable () async -> ServerResponse)
}
