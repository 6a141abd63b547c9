public import ErrandTransfer
import HTTPTypes

/// The client credentials for requesting access tokens (RFC 6749 §4.4).
///
/// The identifier and the secret are required, and scopes consist of the characters of RFC 6749 §3.3.
public struct OAuth2ClientCredentials: Sendable, Hashable {
    /// The token endpoint (RFC 6749 §3.2).
    public var tokenURL: HTTPURL
    /// The client identifier (RFC 6749 §2.2).
    public var clientID: String
    /// The client secret (RFC 6749 §2.3.1).
    public var clientSecret: String
    /// The requested scopes; if empty, the server decides (RFC 6749 §3.3).
    public var scopes: [String]
    /// The timeouts of a token request, which also limit the wait of every caller that needs a token; longer only in
    /// tests.
    package var requestTimeouts = TransferTimeouts(connect: .seconds(10), idle: .seconds(20), total: .seconds(30))

    /// Creates credentials from their parts; no scopes by default.
    public init(tokenURL: HTTPURL, clientID: String, clientSecret: String, scopes: [String] = []) {
        self.tokenURL = tokenURL
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scopes = scopes
    }
}

extension OAuth2ClientCredentials: CredentialsKind {
    /// The name of the kind in configurations.
    package static let kind = "oauth2"

    var problems: [CredentialsProblem] {
        CredentialsProblem.check("client_id", clientID, against: .isGiven)
            + CredentialsProblem.check("client_secret", clientSecret, against: .isGiven)
            + scopes.flatMap { CredentialsProblem.check("scopes", $0, against: .isGiven, .isScope) }
    }

    var secretHeaderNames: Set<HTTPField.Name> { [.authorization] }
    var secretQueryNames: Set<String> { [] }

    var endpoints: [CredentialsEndpoint] {
        [CredentialsEndpoint(name: "token endpoint", member: "token_url", url: tokenURL)]
    }

    func mechanism(in environment: AuthenticationEnvironment) -> any AuthenticationMechanism {
        OAuth2Authenticator(
            self, transport: environment.transport, userAgent: environment.userAgent, clock: environment.clock)
    }
}

extension OAuth2ClientCredentials: RedactedReflection {
    /// The kind, without any of the values.
    public var description: String { "OAuth 2 client credentials [redacted]" }
}
