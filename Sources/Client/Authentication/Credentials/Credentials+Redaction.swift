public import HTTPTypes

extension Credentials {
    /// The header fields that contain secrets of these credentials and must be shown without values.
    public var secretHeaderNames: Set<HTTPField.Name> {
        switch self {
        case .basic, .digest, .bearer, .oauth2: [.authorization]
        case .awsSignature4: [.authorization, .amazonSecurityToken]
        case .apiKey(let key): if case .header(let name) = key.place { [name] } else { [] }
        }
    }

    /// The query items that contain secrets of these credentials, unescaped, and must be shown without values.
    public var secretQueryNames: Set<String> {
        if case .apiKey(let key) = self, case .query(let name) = key.place { [name] } else { [] }
    }
}
