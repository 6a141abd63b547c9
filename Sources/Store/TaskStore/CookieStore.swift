/// A store for the cookies of sessions that outlive the process (`cookies: persistent`).
///
/// It does not know the rules for cookies. The cookie jar decides which cookies replace others, expire or exceed the
/// limits, and writes the results here.
package protocol CookieStore: Sendable {
    /// Reads all cookies of a session, in a stable order.
    ///
    /// - Returns: The cookies, including those that have expired since they were written.
    func cookies(session: String) async throws(TaskStoreError) -> [StoredCookie]

    /// Reads the names of the sessions that have cookies, sorted.
    func sessionsWithCookies() async throws(TaskStoreError) -> [String]

    /// Applies changes to the cookies of a session in order, all of them or none.
    ///
    /// Durable when it returns.
    ///
    /// Removing a missing cookie is not an error.
    func update(cookies changes: [StoredCookieChange], session: String) async throws(TaskStoreError)
}
