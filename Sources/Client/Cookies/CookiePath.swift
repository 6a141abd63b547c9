/// Path matching (RFC 6265 §5.1.4).
///
/// Paths are compared as written: `/a%20b` differs from `/a b`.
enum CookiePath {
    /// Returns the path of a cookie without a path: the request's folder, without the trailing slash.
    static func defaultPath(of requestPath: String) -> String {
        guard requestPath.utf8.first == UInt8(ascii: "/"),
            let slash = requestPath.utf8.lastIndex(of: UInt8(ascii: "/")), slash > requestPath.startIndex
        else { return "/" }
        return String(requestPath[..<slash])
    }

    /// Returns true if the request's path is the cookie's path or below it.
    static func matches(requestPath: String, cookiePath: String) -> Bool {
        let path = cookiePath.utf8
        guard requestPath.utf8.starts(with: path) else { return false }
        guard path.last != UInt8(ascii: "/") else { return true }
        let next = requestPath.utf8.dropFirst(path.count).first
        return next == nil || next == UInt8(ascii: "/")
    }
}
