public import ErrandCookies

// The cookies of a session, for programs that read, set or remove them.

extension Session {
    /// The cookies that the session has now, in the order of their creation.
    ///
    /// They are the session's cookies of all hosts: those that the base URL's host, targets of redirects and other
    /// hosts have set, and those of ``setCookie(_:)``, with and without an expiry date. Expired ones are left out. A
    /// request carries only those that are for its URL. Their values are credentials.
    ///
    /// Loads the cookies from the session's storage first, if that has not been done. Empty with ``CookiePolicy/off``.
    /// Any thread.
    ///
    /// - Throws: An error if the storage could not be read.
    public var storedCookies: [Cookie] {
        get async throws(CookieStorageError) {
            guard let cookies else { return [] }
            try await cookies.prepare()
            return cookies.cookies
        }
    }

    /// Sets a cookie as if a server had set it, for its domain and path.
    ///
    /// ```swift
    /// let id = Cookie.ID(name: "session", domain: "api.example.com", isHostOnly: true, path: "/")
    /// if let cookie = Cookie(id: id, value: token, isSecure: true), try await !api.setCookie(cookie) {
    ///     print("no server could set this cookie")
    /// }
    /// ```
    ///
    /// It replaces the cookie with the same ``Cookie/ID``; one that has expired removes that. It is sent by the same
    /// rules as others: within its domain and path, and over https only if it is secure. A session with a storage keeps
    /// it there if it has an expiry date, of which at most 400 days count; ``flushCookies()`` waits for that. Any
    /// thread.
    ///
    /// - Parameter cookie: The cookie. Its ``Cookie/creationOrder`` and ``Cookie/lastAccess`` do not matter.
    /// - Returns: True if the cookie is set. False if nothing has changed, because the session has no cookies
    ///   (``CookiePolicy/off``), or there is no room for it, or the rules refuse this one: the domain is not the host of
    ///   a URL, in lower case and without a port; the cookie is for all hosts below a public suffix such as `co.uk`; or
    ///   its name begins with `__Secure-` or `__Host-`, but it is not as that promises. There is no room for a cookie
    ///   without `Secure` if its domain already has as many with it as a domain may have.
    /// - Throws: An error if the storage could not be read; the cookie is not set then.
    public func setCookie(_ cookie: Cookie) async throws(CookieStorageError) -> Bool {
        guard let cookies else { return false }
        try await cookies.prepare()
        return cookies.set(cookie)
    }

    /// Removes the cookies of all hosts, also from the session's storage.
    ///
    /// Requests carry none of them once the call begins; it returns when the storage has removed them too. What servers
    /// set afterwards is kept again. The former session, if this one continues it, shares the cookies. Any thread.
    ///
    /// - Throws: An error if the storage could not be read or written; the removal is retried with the next load or
    ///   change.
    public func removeCookies() async throws(CookieStorageError) {
        try await cookies?.removeAll()
    }

    /// Waits until the session's cookie storage has saved all current cookies.
    ///
    /// - Throws: An error if they could not be saved.
    public func flushCookies() async throws(CookieStorageError) {
        try await cookies?.flush()
    }
}
