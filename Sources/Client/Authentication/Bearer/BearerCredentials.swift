import HTTPTypes

/// A bearer token (RFC 6750 §2.1).
package struct BearerCredentials: Sendable, Hashable {
    let token: String

    /// The name of the scheme and the space after it.
    static let prefix = "Bearer "

    /// The value of `Authorization`.
    var authorization: String { Self.prefix + token }
}

extension BearerCredentials: CredentialsKind {
    /// The name of the kind in configurations.
    package static let kind = "bearer"

    var problems: [CredentialsProblem] {
        CredentialsProblem.check("token", token, against: .isGiven, .isVisibleASCII)
    }

    var secretHeaderNames: Set<HTTPField.Name> { [.authorization] }
    var secretQueryNames: Set<String> { [] }

    func mechanism(in environment: AuthenticationEnvironment) -> any AuthenticationMechanism {
        FixedFields(HTTPField(name: .authorization, value: authorization))
    }
}

extension BearerCredentials: RedactedReflection {
    /// The kind, without the token.
    package var description: String { "\(Self.kind) [redacted]" }
}
