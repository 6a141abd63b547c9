/// How cookies are matched with paths (RFC 6265 §5.1.4).
///
/// Paths are compared as they are written: `/a%20b` and `/a b` are two.
enum CookiePath {
    /// The path of a cookie that names none: the request's folder, without the slash at its end.
    static func defaultPath(of requestPath: String) -> String {
        guard requestPath.utf8.first == UInt8(ascii: "/"),
            let slash = requestPath.utf8.lastIndex(of: UInt8(ascii: "/")), slash > requestPath.startIndex
        else { return "/" }
        return String(requestPath[..<slash])
    }

    /// Whether a request's path is a cookie's path or below it.
    static func matches(requestPath: String, cookiePath: String) -> Bool {
        let path = cookiePath.utf8
        guard requestPath.utf8.starts(with: path) else { return false }
        guard path.last != UInt8(ascii: "/") else { return true }
        let next = requestPath.utf8.dropFirst(path.count).first
        return next == nil || next == UInt8(ascii: "/")
    }
}
