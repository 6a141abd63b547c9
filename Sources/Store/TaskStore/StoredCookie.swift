package import ErrandTime

/// A cookie as it is stored between two runs of the program (RFC 6265 §5.3).
///
/// Its value may be a secret and is not part of any description.
package struct StoredCookie: Sendable, Hashable {
    /// The key that identifies the cookie in its session.
    package var key: Key
    /// The value as the upstream sent it, including quotes.
    package var value: String
    /// True if the cookie is sent over TLS connections only.
    package var isSecure: Bool
    /// True if the upstream excludes scripts from access; stored for display only.
    package var isHTTPOnly: Bool
    /// The expiry time; `nil` if the cookie ends with the session.
    package var expiresAt: Timestamp?
    /// The rank by creation in the session, as numbered by the cookie jar: older cookies have lower numbers.
    package var creationOrder: Int64
    /// The time of the last access (set or sent) that was stored.
    package var lastAccessAt: Timestamp

    /// The key that identifies a cookie in its session.
    ///
    /// A new cookie replaces the one with the same key.
    package struct Key: Sendable, Hashable {
        /// The domain in lower case, without a leading dot.
        package var domain: String
        /// True if the cookie is sent only to this exact host (RFC 6265 §5.3, `host-only-flag`).
        ///
        /// A host-only cookie and a domain cookie are distinct (draft-ietf-httpbis-rfc6265bis §5.7).
        package var isHostOnly: Bool
        /// The path, beginning with `/`.
        package var path: String
        /// The name.
        package var name: String

        /// Creates a key.
        package init(domain: String, isHostOnly: Bool, path: String, name: String) {
            self.domain = domain
            self.isHostOnly = isHostOnly
            self.path = path
            self.name = name
        }
    }

    /// Creates a cookie from its parts.
    package init(
        key: Key, value: String, isSecure: Bool, isHTTPOnly: Bool, expiresAt: Timestamp?, creationOrder: Int64,
        lastAccessAt: Timestamp
    ) {
        self.key = key
        self.value = value
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.expiresAt = expiresAt
        self.creationOrder = creationOrder
        self.lastAccessAt = lastAccessAt
    }
}

extension StoredCookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(key.name) for \(key.domain)\(key.path)" }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: ["key": key]) }
}

/// A change of one stored cookie.
package enum StoredCookieChange: Sendable, Hashable {
    /// Adds the cookie, or replaces the one with its key.
    case set(StoredCookie)
    /// Removes the cookie, which has expired, or was evicted or deleted.
    case remove(StoredCookie.Key)
}
