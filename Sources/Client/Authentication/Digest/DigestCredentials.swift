import HTTPTypes

/// The credentials of HTTP Digest (RFC 7616).
package struct DigestCredentials: Sendable, Hashable {
    let username: String
    let password: String
}

extension DigestCredentials: CredentialsKind {
    /// The name of the kind in configurations.
    package static let kind = "digest"

    var problems: [CredentialsProblem] {
        CredentialsProblem.check("username", username, against: .isGiven, .isText)
            + CredentialsProblem.check("password", password, against: .isText)
    }

    var secretHeaderNames: Set<HTTPField.Name> { [.authorization] }
    var secretQueryNames: Set<String> { [] }

    func mechanism(in environment: AuthenticationEnvironment) -> any AuthenticationMechanism {
        DigestAuthenticator(username: username, password: password, randomBytes: environment.randomBytes)
    }
}

extension DigestCredentials: RedactedReflection {
    /// The kind, without any of the values.
    package var description: String { "\(Self.kind) [redacted]" }
}
