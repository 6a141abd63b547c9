extension HTTPURL {
    /// The URL that `reference` means when this is its base (RFC 3986 §5.2, strict).
    ///
    /// | reference | against `http://a/b/c/d?q` |
    /// | --- | --- |
    /// | (empty), `#f` | `http://a/b/c/d?q` |
    /// | `g` | `http://a/b/c/g` |
    /// | `../g` | `http://a/b/g` |
    /// | `/g` | `http://a/g` |
    /// | `?y` | `http://a/b/c/d?y` |
    /// | `//g` | `http://g/` |
    ///
    /// - Throws: What is wrong with the reference; one with a scheme must be an absolute http or https URL.
    public func resolving(_ reference: String) throws(HTTPURLError) -> HTTPURL {
        let reference = try URLReference(reference)
        if let name = reference.scheme {
            return try HTTPURL(scheme: Self.scheme(named: name), reference: reference)
        }
        if reference.authority != nil {
            return try HTTPURL(scheme: scheme, reference: reference)
        }
        guard let first = reference.path.first else {
            return HTTPURL(origin: origin, path: path, query: Self.normalQuery(reference.query) ?? query)
        }
        let path = first == UInt8(ascii: "/") ? Array(reference.path) : Array(folder.utf8) + reference.path
        return HTTPURL(origin: origin, path: Self.normalPath(path), query: Self.normalQuery(reference.query))
    }

    /// The path up to and with its last slash: where relative references start (RFC 3986 §5.2.3).
    var folder: Substring {
        path[...(path.lastIndex(of: "/") ?? path.startIndex)]
    }

    /// Whether both have the same scheme, host and port.
    public func isSameOrigin(as other: HTTPURL) -> Bool {
        origin == other.origin
    }

    /// Whether this is in the folder of `base` (its path up to the last slash) or deeper, on the same origin.
    ///
    /// A path that would climb out of it for a server that decodes `%2f`, `\` or `%5c` into slashes is not below.
    public func isBelow(_ base: HTTPURL) -> Bool {
        guard isSameOrigin(as: base) else { return false }
        let folder = base.folder
        return path.hasPrefix(folder) && !DotSegments.climbs(path.dropFirst(folder.count))
    }

    /// This URL with `addition` at the end of its query, after an `&` where one is needed.
    ///
    /// - Parameter addition: A query without `?`, encoded by its own rules; what no query may hold is percent-encoded.
    ///   An empty one changes nothing.
    public func addingQuery(_ addition: String) -> HTTPURL {
        guard !addition.isEmpty else { return self }
        let addition = PercentEncoding.encode(addition.utf8, for: .query)
        let query =
            switch query {
            case .none, .some(""): addition
            case .some(let query): query.hasSuffix("&") ? query + addition : "\(query)&\(addition)"
            }
        return HTTPURL(origin: origin, path: path, query: query)
    }

    /// This URL with a path that ends in a slash, so that relative references add to it instead of replacing its last
    /// segment: `http://e.com/v1?x=1` becomes `http://e.com/v1/?x=1`.
    public var withTrailingSlashPath: HTTPURL {
        path.hasSuffix("/") ? self : HTTPURL(origin: origin, path: path + "/", query: query)
    }
}
