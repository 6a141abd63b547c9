import Cookies
import SessionCore
import Transfer

/// A session object with everything that begins and ends with it.
struct SessionGeneration: Sendable {
    /// Runs attempts.
    let session: Session
    /// Performs its transfers, over connections that are its own.
    let transport: any Transport
    /// Where its cookies are kept; `nil` when they end with it.
    let cookies: SessionCookieStorage?

    /// What it has open, where its transport can tell.
    var connections: ConnectionCounts? {
        (transport as? any ConnectionCounting)?.connectionCounts
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
