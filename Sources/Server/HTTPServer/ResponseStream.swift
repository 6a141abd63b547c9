/// Content that is produced while it is sent.
public struct ResponseStream: Sendable {
    /// The total number of bytes, or `nil` if it is unknown.
    public var length: Int64?
    /// Returns the next bytes, or `nil` at the end.
    ///
    /// Called only when the client has taken the previous bytes; cancelled when it disconnects. An error closes the
    /// connection without a proper end of the content, so that the client notices.
    public var next: @Sendable () async throws -> [UInt8]?

    /// Creates a stream from the closure that makes its parts.
    public init(length: Int64? = nil, next: @escaping @Sendable () async throws -> [UInt8]?) {
        self.length = length
        self.next = next
    }
}
