/// Where the cookies of one session outlive the process.
///
/// Cookies are credentials: an implementation keeps them as secret as passwords. ``SessionCookies`` calls it from one
/// task at a time.
public protocol CookieStorage: Sendable {
    /// All cookies that are kept, in any order, with everything that ``Cookie`` holds.
    ///
    /// - Throws: `read_failed`, or `corrupt` when what is kept are no cookies.
    func load() async throws(CookieStorageError) -> [Cookie]

    /// Makes changes, all of them or, when it throws, none.
    ///
    /// There is at most one for each ``Cookie/ID``, so that their order means nothing. Only cookies that expire are
    /// set: those without a date end with the process. A cookie that is to be removed may not be there.
    ///
    /// - Throws: `write_failed`. The same changes, or later ones in their place, will be tried again.
    func save(_ changes: [CookieChange]) async throws(CookieStorageError)
}
