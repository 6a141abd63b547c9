import ErrandSessionCore

/// The right of one attempt to use a session object, which does not end before ``end()``.
struct SessionLease: Sendable {
    /// The leased generation.
    let generation: SessionGeneration
    /// Ends the lease; to be called once, when the attempt has ended.
    let end: @Sendable () -> Void

    /// Runs the attempt.
    var session: Session { generation.session }
}
