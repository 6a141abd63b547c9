import ErrandText

extension HTTPURL {
    /// Resolves `reference` against this base URL (RFC 3986 §5.2, strict).
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
    /// - Throws: The error of the reference; with a scheme, it must be an absolute http or https URL.
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
        guard first != UInt8(ascii: "/") else {
            return HTTPURL(
                origin: origin, path: Self.normalPath(reference.path), query: Self.normalQuery(reference.query))
        }
        let merged: [UInt8] = Array(folder.utf8) + reference.path
        return HTTPURL(origin: origin, path: Self.normalPath(merged), query: Self.normalQuery(reference.query))
    }

    /// The path up to and including its last slash, against which relative references are resolved (RFC 3986 §5.2.3).
    var folder: Substring {
        path[...(path.lastIndex(of: "/") ?? path.startIndex)]
    }

    /// Returns true if both URLs have the same scheme, host and port.
    public func isSameOrigin(as other: HTTPURL) -> Bool {
        origin == other.origin
    }

    /// Returns true if this URL is in the folder of `base` (its path up to the last slash) or deeper, on the same
    /// origin.
    ///
    /// A path that leaves the folder for a server that decodes `%2f`, `\` or `%5c` as slashes, or that removes the
    /// parameters of `..;x`, is not below it.
    public func isBelow(_ base: HTTPURL) -> Bool {
        guard isSameOrigin(as: base) else { return false }
        let folder = base.folder
        return path.hasPrefix(folder) && !DotSegments.climbs(path.dropFirst(folder.count))
    }

    /// Returns this URL with `addition` appended to its query, after an `&` if needed.
    ///
    /// - Parameter addition: A query without `?`, already encoded; characters that a query does not allow are
    ///   percent-encoded. An empty text changes nothing.
    public func addingQuery(_ addition: String) -> HTTPURL {
        guard !addition.isEmpty else { return self }
        let addition = PercentCoding.encodeKeepingEscapes(addition.utf8, keeping: .urlQuery)
        let query =
            switch query {
            case .none, .some(""): addition
            case .some(let query): query.hasSuffix("&") ? query + addition : "\(query)&\(addition)"
            }
        return HTTPURL(origin: origin, path: path, query: query)
    }

    /// This URL with a path that ends in a slash, so that relative references are appended to it instead of replacing
    /// its last segment: `http://e.com/v1?x=1` becomes `http://e.com/v1/?x=1`.
    public var withTrailingSlashPath: HTTPURL {
        path.hasSuffix("/") ? self : HTTPURL(origin: origin, path: path + "/", query: query)
    }
}
