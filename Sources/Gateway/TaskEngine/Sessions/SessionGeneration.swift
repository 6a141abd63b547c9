import ErrandCookies
package import ErrandSessionCore
import ErrandTransfer

/// A session object with its transport and its cookie storage.
package struct SessionGeneration: Sendable {
    /// Runs attempts.
    package let session: Session
    /// Performs the transfers of the session over connections of its own.
    let transport: RevocableTransport
    /// The storage of its cookies; `nil` if they end with the session object.
    let cookies: SessionCookieStorage?

    /// The counts of its connections, if its transport can count them.
    package var connections: ConnectionCounts? {
        (transport.inner as? any ConnectionCounting)?.connectionCounts
    }

    /// True if its policy is no longer the session's, so that it may start no transfers.
    var isRevoked: Bool { transport.isRevoked }

    /// Starts no more transfers; those under way continue to their end.
    func revoke() {
        transport.revoke()
    }

    /// Stores the current cookies; later ones end with the generation.
    ///
    /// - Throws: The error of the store.
    func detachCookies() async throws(CookieStorageError) {
        guard let cookies else { return }
        defer { cookies.detach() }
        try await session.flushCookies()
    }

    /// Ends the session object, after its last attempt.
    func end() async {
        session.stopMonitoring()
        await session.invalidate(cancelingTasks: true)
    }
}

/// The right of one attempt to use a session object, which does not end before ``SessionCatalog/end(_:)``.
struct SessionLease: Sendable {
    /// The leased generation.
    let generation: SessionGeneration
    /// The index of the session.
    let index: Int
    /// The number of the generation in its session.
    let number: Int

    /// Runs the attempt.
    var session: Session { generation.session }
}
