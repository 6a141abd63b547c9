/// A change of a cookie jar.
public enum CookieChange: Sendable, Hashable {
    /// A cookie was added, or replaced one with the same identity.
    case set(Cookie)
    /// A cookie was removed.
    case removed(Cookie.ID)

    /// The identity of the changed cookie.
    public var id: Cookie.ID {
        switch self {
        case .set(let cookie): cookie.id
        case .removed(let id): id
        }
    }
}
