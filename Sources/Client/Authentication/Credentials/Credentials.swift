public import HTTPTypes

/// The credentials with which a session authenticates to its upstream.
///
/// Neither the description nor a dump or mirror shows any of the values, so that secrets do not end up in a log by
/// accident.
public enum Credentials: Sendable, Hashable {
    /// HTTP Basic, sent preemptively with every request (RFC 7617, in UTF-8).
    ///
    /// The user name has no colon (RFC 7617 §2), and neither value has control characters.
    case basic(username: String, password: String)
    /// HTTP Digest, sent in response to a challenge, and preemptively once a challenge is known (RFC 7616).
    ///
    /// The user name is not empty, and neither value has control characters (RFC 7616 §3.4).
    case digest(username: String, password: String)
    /// A bearer token (RFC 6750 §2.1).
    ///
    /// The token is visible ASCII without spaces: more than RFC 6750 §2.1 allows, as servers issue such tokens.
    case bearer(token: String)
    /// A fixed value in a header field or a query item.
    case apiKey(APIKey)
    /// OAuth 2 client credentials: a bearer token that is requested and renewed (RFC 6749 §4.4).
    case oauth2(OAuth2ClientCredentials)
    /// A signature over each request (AWS Signature Version 4).
    case awsSignature4(AWSCredentials)

    /// The values, in the type with the rules of their kind.
    var content: any CredentialsKind {
        switch self {
        case .basic(let username, let password): BasicCredentials(username: username, password: password)
        case .digest(let username, let password): DigestCredentials(username: username, password: password)
        case .bearer(let token): BearerCredentials(token: token)
        case .apiKey(let key): key
        case .oauth2(let client): client
        case .awsSignature4(let credentials): credentials
        }
    }
}

extension Credentials {
    /// The name of the kind in configurations.
    public var kind: String { type(of: content).kind }

    /// The problems of the values; empty if they can be used.
    ///
    /// A session authorizes no request with credentials that have problems. The cases and the types of their values
    /// describe the rules.
    public var problems: [CredentialsProblem] { content.problems }

    /// The header fields that contain secrets of these credentials and must be shown without values.
    public var secretHeaderNames: Set<HTTPField.Name> { content.secretHeaderNames }

    /// The query items that contain secrets of these credentials, unescaped, and must be shown without values.
    public var secretQueryNames: Set<String> { content.secretQueryNames }

    /// The values of these query items, unescaped.
    package var secretQueryValues: Set<String> { content.secretQueryValues }

    /// The servers that an ``Authenticator`` calls before it can authorize a request; empty for most kinds.
    package var endpoints: [CredentialsEndpoint] { content.endpoints }
}

extension Credentials: RedactedReflection {
    /// The kind, without any of the values.
    public var description: String { "\(kind) [redacted]" }
}
