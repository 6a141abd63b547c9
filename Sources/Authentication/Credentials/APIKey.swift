public import HTTPTypes

/// A fixed value that an upstream knows a client by.
public struct APIKey: Sendable, Hashable {
    /// Where the key goes.
    public enum Place: Sendable, Hashable {
        /// A header field of this name.
        case header(HTTPField.Name)
        /// A query item of this name, unescaped.
        case query(String)
    }

    /// Where the key goes.
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
    /// The place, without the key.
    public var description: String {
        switch place {
        case .header(let name): "header \(name.rawName): [redacted]"
        case .query(let name): "query \(name)=[redacted]"
        }
    }
}
