/// How a session proves to its upstream who it is.
///
/// Neither the description nor a dump or a mirror shows anything of the values: secrets do not reach a log by accident.
public enum Credentials: Sendable, Hashable {
    /// HTTP Basic, sent with every request without being asked (RFC 7617, in UTF-8).
    case basic(username: String, password: String)
    /// HTTP Digest, in answer to a challenge and, once one is known, without being asked (RFC 7616).
    case digest(username: String, password: String)
    /// A bearer token (RFC 6750 §2.1).
    case bearer(token: String)
    /// A fixed value in a header field or a query item.
    case apiKey(APIKey)
    /// OAuth 2 client credentials: a bearer token that is asked for and renewed (RFC 6749 §4.4).
    case oauth2(OAuth2ClientCredentials)
    /// A signature over each request (AWS Signature Version 4).
    case awsSignature4(AWSCredentials)

    /// The word that a configuration names the kind by.
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
    /// The kind, and nothing of the values.
    public var description: String { "\(kind) [redacted]" }
}
