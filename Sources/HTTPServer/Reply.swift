/// An answer that is there, or one that takes time.
public enum Reply: Sendable {
    /// There already: given on the server's thread, without suspending the connection.
    case now(ServerResponse)
    /// The connection is suspended until the closure returns. Its task is cancelled when the client leaves.
    case later(@Sendable () async -> ServerResponse)
}
