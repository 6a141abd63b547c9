/// Content that is made while it is sent.
public struct ResponseStream: Sendable {
    /// The number of bytes that will come, or `nil` when nobody knows.
    public var length: Int64?
    /// Gives the next bytes, `nil` at the end.
    ///
    /// Asked only when the client has taken what came before; cancelled when it leaves. An error ends the connection
    /// without a proper end of the content, which tells the client.
    public var next: @Sendable () async throws -> [UInt8]?

    /// Creates a stream from the closure that makes its parts.
    public init(length: Int64? = nil, next: @escaping @Sendable () async throws -> [UInt8]?) {
        self.length = length
        self.next = next
    }
}
