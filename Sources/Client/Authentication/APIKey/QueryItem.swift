import ErrandText
import ErrandTransfer

/// A name and a value in a URL's query.
struct QueryItem {
    /// The name, unescaped.
    let name: String
    /// The value, unescaped.
    let value: String

    /// Returns a URL with this item at the end of its query, replacing other items of the same name.
    func replaced(in url: HTTPURL) throws(AuthenticationError) -> HTTPURL {
        let others = (url.query ?? "").utf8.split(separator: UInt8(ascii: "&")).map { Substring($0) }
            .filter { item in
                let name = Substring(item.utf8.prefix { $0 != UInt8(ascii: "=") })
                return !PercentCoding.decode(Array(name.utf8), plusIsSpace: true).elementsEqual(self.name.utf8)
            }
        let item = "\(PercentCoding.encode(name.utf8))=\(PercentCoding.encode(value.utf8))"
        do {
            return try url.resolving("?" + (others + [Substring(item)]).joined(separator: "&"))
        } catch {
            // The only possible error: URLs have a maximum length.
            throw AuthenticationError(.badURL, error.description)
        }
    }
}

extension QueryItem: AuthenticationMechanism {
    func authorize(_ request: inout TransferRequest) throws(AuthenticationError) {
        request.url = try replaced(in: request.url)
    }
}
