import ErrandAuthentication
import ErrandText
import ErrandTransfer
import HTTPTypes

/// The secrets that a session and its tasks put into requests, and that must not be shown.
struct SessionSecrets: Sendable {
    /// The header fields set by the credentials.
    let headerNames: Set<HTTPField.Name>
    /// The header fields set by the configuration that carry secrets.
    let ownNames: Set<HTTPField.Name>
    private let queryNames: Set<String>

    init(_ credentials: Credentials?, headers: HTTPFields = [:]) {
        headerNames = credentials?.secretHeaderNames ?? []
        ownNames = Set(headers.filter(HeaderRedaction.carriesSecret).map(\.name))
        queryNames = credentials?.secretQueryNames ?? []
    }

    /// Returns true if one of the fields is set by the credentials.
    func hasField(among names: [HTTPField.Name]) -> Bool {
        names.contains(where: headerNames.contains)
    }

    /// Returns the header fields of a response with ``HeaderRedaction/placeholder`` for secrets.
    ///
    /// Includes secrets that the response repeats from the request, such as a key in the query of a `Location`.
    func shown(_ fields: HTTPFields) -> HTTPFields {
        let shown = HeaderRedaction.redacting(fields) { headerNames.contains($0) || ownNames.contains($0) }
        guard !queryNames.isEmpty else { return shown }
        return HTTPFields(shown.map { HTTPField(name: $0.name, value: self.shown(text: $0.value)) })
    }

    /// Returns a text of the upstream without the secrets in the queries of its URLs.
    private func shown(text: String) -> String {
        var shown = ""
        var rest = text[...]
        while let start = rest.firstIndex(where: { $0 == "?" || $0 == "&" }) {
            let item = rest[rest.index(after: start)...]
            shown += rest[..<item.startIndex]
            rest = item
            let name = item.prefix { !"=&?#".contains($0) }
            guard item[name.endIndex...].first == "=", let decoded = PercentCoding.decodedText(name),
                queryNames.contains(decoded)
            else { continue }
            shown += "\(name)=\(HeaderRedaction.placeholder)"
            rest = item[name.endIndex...].drop { !"&#>\" ".contains($0) }
        }
        return shown + rest
    }

    /// Returns the header fields of a request with ``HeaderRedaction/placeholder`` for secrets.
    ///
    /// - Parameter addsOwn: True to include the fields that will be added when the request is sent.
    func shown(_ fields: HTTPFields, addingOwn addsOwn: Bool) -> HTTPFields {
        var shown = HeaderRedaction.redacting(fields) {
            headerNames.contains($0) || ownNames.contains($0) || HeaderRedaction.looksSecret($0)
        }
        guard addsOwn else { return shown }
        for name in headerNames.sorted(by: { $0.canonicalName < $1.canonicalName }) where !shown.contains(name) {
            shown.append(HTTPField(name: name, value: HeaderRedaction.placeholder))
        }
        return shown
    }

    /// Returns the text of a URL with ``HeaderRedaction/placeholder`` for secrets in its query.
    ///
    /// - Parameter addsOwn: True to include the parameters that will be added when the request is sent.
    func shown(_ url: HTTPURL, addingOwn addsOwn: Bool = false) -> String {
        guard !queryNames.isEmpty else { return url.string }
        var missing = queryNames
        let items = (url.query ?? "").split(separator: "&", omittingEmptySubsequences: false).map { item in
            let name = item.prefix { $0 != "=" }
            guard let decoded = PercentCoding.decodedText(name), queryNames.contains(decoded) else {
                return String(item)
            }
            missing.remove(decoded)
            return "\(name)=\(HeaderRedaction.placeholder)"
        }
        let added = addsOwn ? missing.sorted().map { "\($0)=\(HeaderRedaction.placeholder)" } : []
        let query = (url.query == nil ? added : items + added).joined(separator: "&")
        let address = "\(url.origin)\(url.path)"
        return query.isEmpty && url.query == nil ? address : "\(address)?\(query)"
    }
}
