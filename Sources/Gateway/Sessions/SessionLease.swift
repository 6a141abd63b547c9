import SessionCore

/// The right of one attempt to use a session object, which is not ended before ``end()``.
struct SessionLease: Sendable {
    /// The session object, and what belongs to it.
    let generation: SessionGeneration
    /// To be called once, when the attempt has ended.
    let end: @Sendable () -> Void

    /// Runs the attempt.
    var session: Session { generation.session }
}
