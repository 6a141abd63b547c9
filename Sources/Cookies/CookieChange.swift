/// What has become different in a jar.
public enum CookieChange: Sendable, Hashable {
    /// There is such a cookie now, in the place of the one with the same identity if there was one.
    case set(Cookie)
    /// There is no such cookie any more.
    case removed(Cookie.ID)

    /// The cookie that it is about.
    public var id: Cookie.ID {
        switch self {
        case .set(let cookie): cookie.id
        case .removed(let id): id
        }
    }
}
