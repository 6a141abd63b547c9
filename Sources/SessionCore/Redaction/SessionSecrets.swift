import Authentication
import HTTPTypes
import Transfer

/// What a session and its tasks put into requests, and nobody is shown.
struct SessionSecrets: Sendable {
    /// The header fields that the credentials set.
    let headerNames: Set<HTTPField.Name>
    /// Those that the configuration sets, and that look as if they carried secrets.
    private let ownNames: Set<HTTPField.Name>
    private let queryNames: Set<String>

    init(_ credentials: Credentials?, headers: HTTPFields = [:]) {
        headerNames = credentials?.secretHeaderNames ?? []
        ownNames = Set(headers.map(\.name).filter(HeaderRedaction.looksSecret))
        queryNames = credentials?.secretQueryNames ?? []
    }

    /// Whether one of the fields is one that the credentials set.
    func hasField(among names: [HTTPField.Name]) -> Bool {
        names.contains(where: headerNames.contains)
    }

    /// The header fields of a response with secrets as ``HeaderRedaction/placeholder``: also those that it has from
    /// the request, such as a key in the query of a `Location`.
    func shown(_ fields: HTTPFields) -> HTTPFields {
        let shown = HeaderRedaction.redacting(fields, and: headerNames.union(ownNames))
        guard !queryNames.isEmpty else { return shown }
        return HTTPFields(shown.map { HTTPField(name: $0.name, value: self.shown(text: $0.value)) })
    }

    /// Somebody else's text, without the secrets in the queries of URLs that it has.
    private func shown(text: String) -> String {
        var shown = ""
        var rest = text[...]
        while let start = rest.firstIndex(where: { $0 == "?" || $0 == "&" }) {
            let item = rest[rest.index(after: start)...]
            shown += rest[..<item.startIndex]
            rest = item
            let name = item.prefix { !"=&?#".contains($0) }
            guard item[name.endIndex...].first == "=", let decoded = PercentEncoding.decoded(name),
                queryNames.contains(decoded)
            else { continue }
            shown += "\(name)=\(HeaderRedaction.placeholder)"
            rest = item[name.endIndex...].drop { !"&#>\" ".contains($0) }
        }
        return shown + rest
    }

    /// The header fields of a request with secrets as ``HeaderRedaction/placeholder``.
    ///
    /// - Parameter addsOwn: Whether those that will be added when the request is sent are shown too.
    func shown(_ fields: HTTPFields, addingOwn addsOwn: Bool) -> HTTPFields {
        let secret = fields.map(\.name).filter(HeaderRedaction.looksSecret)
        var shown = HeaderRedaction.redacting(fields, and: headerNames.union(secret))
        guard addsOwn else { return shown }
        for name in headerNames.sorted(by: { $0.canonicalName < $1.canonicalName }) where !shown.contains(name) {
            shown.append(HTTPField(name: name, value: HeaderRedaction.placeholder))
        }
        return shown
    }

    /// The text of a URL with secrets of its query as ``HeaderRedaction/placeholder``.
    ///
    /// - Parameter addsOwn: Whether those that will be added when the request is sent are shown too.
    func shown(_ url: HTTPURL, addingOwn addsOwn: Bool = false) -> String {
        guard !queryNames.isEmpty else { return url.string }
        var missing = queryNames
        let items = (url.query ?? "").split(separator: "&", omittingEmptySubsequences: false).map { item in
            let name = item.prefix { $0 != "=" }
            guard let decoded = PercentEncoding.decoded(name), queryNames.contains(decoded) else { return String(item) }
            missing.remove(decoded)
            return "\(name)=\(HeaderRedaction.placeholder)"
        }
        let added = addsOwn ? missing.sorted().map { "\($0)=\(HeaderRedaction.placeholder)" } : []
        let query = (url.query == nil ? added : items + added).joined(separator: "&")
        let address = "\(url.origin)\(url.path)"
        return query.isEmpty && url.query == nil ? address : "\(address)?\(query)"
    }
}
