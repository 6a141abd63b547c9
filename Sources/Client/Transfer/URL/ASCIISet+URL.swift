import ErrandText

extension ASCIISet {
    /// The characters of a URL's path that need no escape: `pchar` and `/` (RFC 3986 §3.3).
    static let urlPath = ASCIISet.unreserved.union("!$&'()*+,;=:@/")
    /// The characters of a URL's query that need no escape: those of a path, and `?` (RFC 3986 §3.4).
    static let urlQuery = urlPath.union("?")
}
