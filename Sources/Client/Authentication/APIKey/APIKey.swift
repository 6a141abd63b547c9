public import HTTPTypes

/// A fixed value by which an upstream identifies a client.
public struct APIKey: Sendable, Hashable {
    /// The places in a request that can carry the key.
    public enum Place: Sendable, Hashable {
        /// A header field of this name.
        case header(HTTPField.Name)
        /// A query item of this name, unescaped.
        case query(String)
    }

    /// The place of the key in the request.
    public var place: Place
    /// The key.
    public var value: String

    /// Creates a key from its parts.
    public init(place: Place, value: String) {
        self.place = place
        self.value = value
    }
}

extension APIKey: RedactedReflection {
    /// The place of the key, without its value.
    public var description: String {
        switch place {
        case .header(let name): "header \(name.rawName): [redacted]"
        case .query(let name): "query \(name)=[redacted]"
        }
    }
}
