public import HTTPTypes

/// A fixed value by which an upstream identifies a client.
///
/// The value is not empty. A key in a header field has no control characters and no space at its ends; a key in a query
/// has a name.
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

extension APIKey: CredentialsKind {
    /// The name of the kind in configurations.
    package static let kind = "api_key"

    var problems: [CredentialsProblem] {
        switch place {
        case .header:
            CredentialsProblem.check("value", value, against: .isGiven, .isText, .isTrimmed)
        case .query(let name):
            CredentialsProblem.check("query", name, against: .isGiven)
                + CredentialsProblem.check("value", value, against: .isGiven)
        }
    }

    var secretHeaderNames: Set<HTTPField.Name> {
        switch place {
        case .header(let name): [name]
        case .query: []
        }
    }

    var secretQueryNames: Set<String> {
        switch place {
        case .header: []
        case .query(let name): [name]
        }
    }

    var secretQueryValues: Set<String> {
        switch place {
        case .header: []
        case .query: [value]
        }
    }

    func mechanism(in environment: AuthenticationEnvironment) -> any AuthenticationMechanism {
        switch place {
        case .header(let name): FixedFields(HTTPField(name: name, value: value))
        case .query(let name): QueryItem(name: name, value: value)
        }
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
