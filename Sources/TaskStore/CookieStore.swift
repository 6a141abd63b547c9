/// Where the cookies of sessions are kept when they outlive the process (`cookies: persistent`).
///
/// It knows nothing of the rules of cookies: which one replaces which, what has expired and how many there may be is
/// the jar's business, which writes here what it has decided.
package protocol CookieStore: Sendable {
    /// Reads all cookies of a session, in an order that is always the same.
    ///
    /// - Returns: Also those that have expired since they were written.
    func cookies(session: String) async throws(TaskStoreError) -> [StoredCookie]

    /// Applies changes to the cookies of a session in this order, all of them or none, durable when it returns.
    ///
    /// Removing a cookie that is not there is no error.
    func update(cookies changes: [StoredCookieChange], session: String) async throws(TaskStoreError)
}
