/// What becomes of a request whose head has come.
public enum Admission: Sendable {
    /// Answered at once. A small body that follows is read and dropped; instead of a large one, or one that the client
    /// asks leave for (`Expect: 100-continue`), the connection is closed after the answer.
    case answer(ServerResponse)
    /// Nothing of a body is wanted: one that comes is read and dropped, up to a small limit, above which the answer is a
    /// 413; then the closure is called. Its task is cancelled when the client leaves.
    case bodyless(@Sendable () async -> ServerResponse)
    /// The body is collected in memory, then handed over whole.
    ///
    /// A body above `limitBytes` is answered with `tooLarge` (a 413) and the connection is closed.
    case buffered(limitBytes: Int, tooLarge: ServerResponse, @Sendable ([UInt8]) -> Reply)
    /// The body is handed over as it arrives: reading the stream slowly slows the client.
    ///
    /// The closure is called when the head has come, and may answer before the body has: a small rest is read and
    /// dropped, with a large one the connection is closed after the answer. Its task is cancelled when the client
    /// leaves.
    case streamed(@Sendable (RequestBodyStream) async -> ServerResponse)
}
