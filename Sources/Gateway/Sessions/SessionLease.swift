import SessionCore

/// The right of one attempt to use a session object, which is not ended before ``end()``.
struct SessionLease: Sendable {
    /// Runs the attempt.
    let session: Session
    /// To be called once, when the attempt has ended.
    let end: @Sendable () -> Void
}
