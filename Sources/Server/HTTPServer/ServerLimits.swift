/// Sizes and counts above which a server refuses requests.
public struct ServerLimits: Sendable, Hashable {
    /// The longest request line and header section together, in bytes.
    ///
    /// Above it the response is a 431.
    ///
    /// `MicroHTTPServer` keeps a head in a block of twice this size. Three eighths of the block are for its records of
    /// fields, query parameters and cookies, 64 bytes for each; more of them are a 431 too.
    public var maxHeaderBytes = 32 * 1024
    /// The longest request target, in bytes.
    ///
    /// Above it the response is a 414.
    public var maxTargetBytes = 8 * 1024
    /// The most open connections of all listeners together; further ones wait in the backlog.
    public var maxConnections = 4096
    /// The most connections from one address to all listeners together; further ones are closed at once.
    ///
    /// Clients of a Unix socket have no address, and no such limit.
    public var maxConnectionsPerAddress = 1024
    /// The most bytes of unwanted content that are read and dropped to keep the connection open.
    public var maxDroppedBytes = 64 * 1024
    /// The most bytes of buffered request contents of all connections together.
    ///
    /// A content counts from its first byte until its response. Above the limit the response is a 503. The last
    /// quarter is reserved for contents of at most 64 KiB.
    public var maxBufferedBytes = 256 * 1024 * 1024
    /// The most bytes of responses in memory that clients have not yet taken, for all connections together.
    ///
    /// Above it the response to a GET is a 503. Responses of at most 64 KiB, and those that report a change, are
    /// always sent.
    public var maxPendingResponseBytes = 64 * 1024 * 1024
    /// The most unread bytes of a streamed content before the client is slowed down.
    ///
    /// A content that its handler has not begun to read takes one part, as much as was received at a time, unless its
    /// client has closed its sending side.
    public var streamBufferBytes = 256 * 1024

    /// Creates the default limits.
    public init() {}
}
