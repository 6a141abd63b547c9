import Transfer

/// A name and a value in the query of a URL.
struct QueryItem {
    /// The name, unescaped.
    let name: String
    /// The value, unescaped.
    let value: String

    /// A URL with this item as the last of its query and without others of its name.
    func replaced(in url: HTTPURL) throws(AuthenticationError) -> HTTPURL {
        let others = (url.query ?? "").utf8.split(separator: UInt8(ascii: "&")).map { Substring($0) }
            .filter { item in
                let name = Substring(item.utf8.prefix { $0 != UInt8(ascii: "=") })
                return !PercentCoding.decode(name, plus: .space).elementsEqual(self.name.utf8)
            }
        let item = "\(PercentCoding.encode(name.utf8))=\(PercentCoding.encode(value.utf8))"
        do {
            return try url.resolving("?" + (others + [Substring(item)]).joined(separator: "&"))
        } catch {
            // The only way to fail: there are limits to the length of a URL.
            throw AuthenticationError(.badURL, error.description)
        }
    }
}
