/// A storage in which the cookies of one session outlive the process.
///
/// Cookies are credentials: an implementation protects them like passwords. The session calls it from one task at a
/// time.
public protocol CookieStorage: Sendable {
    /// Returns all stored cookies, in any order, with every property of ``Cookie``.
    ///
    /// The first requests of a session wait for it, until they are canceled or their time is over.
    ///
    /// - Throws: `read_failed`, or `corrupt` if the stored data are not cookies.
    func load() async throws(CookieStorageError) -> [Cookie]

    /// Saves changes: all of them or, if it throws, none.
    ///
    /// There is at most one change for each ``Cookie/ID``, so their order does not matter. Only cookies with an expiry
    /// date are set; the others end with the process. A cookie to remove may not exist.
    ///
    /// - Throws: `write_failed`. The same changes, or later ones that replace them, are retried.
    func save(_ changes: [CookieChange]) async throws(CookieStorageError)
}
