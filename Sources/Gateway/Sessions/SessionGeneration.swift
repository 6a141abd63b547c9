import Cookies
import SessionCore
import Transfer

/// A session object with everything that begins and ends with it.
struct SessionGeneration: Sendable {
    /// Runs attempts.
    let session: Session
    /// Performs its transfers, over connections that are its own.
    let transport: RevocableTransport
    /// Where its cookies are kept; `nil` when they end with it.
    let cookies: SessionCookieStorage?

    /// What it has open, where its transport can tell.
    var connections: ConnectionCounts? {
        (transport.inner as? any ConnectionCounting)?.connectionCounts
    }

    /// Its rules are not those of the session any more, so that it may begin nothing.
    var isRevoked: Bool { transport.isRevoked }

    /// Lets what it transfers come to its end, and nothing begin.
    func revoke() {
        transport.revoke()
    }

    /// Writes down the cookies that there are; those that come later end with the generation.
    ///
    /// - Throws: Why the store could not be told.
    func detachCookies() async throws(CookieStorageError) {
        guard let cookies else { return }
        defer { cookies.detach() }
        try await session.flushCookies()
    }

    /// Ends it, after its last attempt.
    func end() async {
        session.stopMonitoring()
        await session.invalidate(cancelingTasks: true)
    }
}
