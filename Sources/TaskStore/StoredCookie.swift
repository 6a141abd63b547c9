/// A cookie as it is kept between two runs of the program (RFC 6265 §5.3).
///
/// Its value may be a secret: it is not part of any description.
package struct StoredCookie: Sendable, Hashable {
    /// What tells it from the other cookies of its session.
    package var key: Key
    /// The value as the upstream sent it, quotes included.
    package var value: String
    /// Only connections with TLS get it.
    package var isSecure: Bool
    /// The upstream wants it kept from scripts; kept so that it can be shown.
    package var isHTTPOnly: Bool
    /// When it ends; `nil`: with the session.
    package var expiresAt: Timestamp?
    /// Which cookie of the session was made first: the lower, the earlier, as the jar has numbered them.
    package var creationOrder: Int64
    /// When it was last set or sent, as far as that was written down.
    package var lastAccessAt: Timestamp

    /// What tells a cookie from the others of its session: a new one with the same key takes its place.
    package struct Key: Sendable, Hashable {
        /// The domain in lower case, without a leading dot.
        package var domain: String
        /// Only the very host gets it (RFC 6265 §5.3, `host-only-flag`).
        ///
        /// A cookie of a host and one of its whole domain are two (draft-ietf-httpbis-rfc6265bis §5.7).
        package var isHostOnly: Bool
        /// The path, from its first `/`.
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

/// What happens to one stored cookie.
package enum StoredCookieChange: Sendable, Hashable {
    /// It is new, or takes the place of the one with its key.
    case set(StoredCookie)
    /// It is gone: expired, evicted or taken back.
    case remove(StoredCookie.Key)
}
