public import HTTPTypes

/// The credentials with which a session authenticates to its upstream.
///
/// Neither the description nor a dump or mirror shows any of the values, so that secrets do not end up in a log by
/// accident.
public enum Credentials: Sendable, Hashable {
    /// HTTP Basic, sent preemptively with every request (RFC 7617, in UTF-8).
    case basic(username: String, password: String)
    /// HTTP Digest, sent in response to a challenge, and preemptively once a challenge is known (RFC 7616).
    case digest(username: String, password: String)
    /// A bearer token (RFC 6750 §2.1).
    case bearer(token: String)
    /// A fixed value in a header field or a query item.
    case apiKey(APIKey)
    /// OAuth 2 client credentials: a bearer token that is requested and renewed (RFC 6749 §4.4).
    case oauth2(OAuth2ClientCredentials)
    /// A signature over each request (AWS Signature Version 4).
    case awsSignature4(AWSCredentials)

    /// The name of the kind in configurations.
    public var kind: String {
        switch self {
        case .basic: "basic"
        case .digest: "digest"
        case .bearer: "bearer"
        case .apiKey: "api_key"
        case .oauth2: "oauth2"
        case .awsSignature4: "aws_sigv4"
        }
    }
}

extension Credentials: RedactedReflection {
    /// The kind, without any of the values.
    public var description: String { "\(kind) [redacted]" }
}

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
        switch self {
        case .basic, .digest, .bearer, .oauth2, .awsSignature4: []
        case .apiKey(let key): if case .query(let name) = key.place { [name] } else { [] }
        }
    }
}
