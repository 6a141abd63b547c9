/// What becomes of a request whose head has come.
public enum Admission: Sendable {
    /// Answered at once. When a body follows, it is not read and the connection is closed after the answer.
    case answer(ServerResponse)
    /// Nothing of a body is wanted (one that comes is read and dropped, up to a small limit); then answered.
    case bodyless(@Sendable () async -> ServerResponse)
    /// The body is collected in memory, then handed over whole.
    ///
    /// A body above `limitBytes` is answered with `tooLarge` (a 413) and the connection is closed.
    case buffered(limitBytes: Int, tooLarge: ServerResponse, @Sendable ([UInt8]) -> Reply)
    /// The body is handed over as it arrives: reading the stream slowly slows the client.
    case streamed(@Sendable (RequestBodyStream) async -> ServerResponse)
}
