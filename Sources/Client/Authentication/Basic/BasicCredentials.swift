import ErrandText
import HTTPTypes

/// The credentials of HTTP Basic (RFC 7617), in UTF-8.
package struct BasicCredentials: Sendable, Hashable {
    let username: String
    let password: String

    /// The value of `Authorization`.
    var authorization: String { "Basic " + Base64.encode(Array("\(username):\(password)".utf8)) }
}

extension BasicCredentials: CredentialsKind {
    /// The name of the kind in configurations.
    package static let kind = "basic"

    var problems: [CredentialsProblem] {
        var problems =
            CredentialsProblem.check("username", username, against: .isText)
            + CredentialsProblem.check("password", password, against: .isText)
        if username.utf8.contains(UInt8(ascii: ":")) {
            problems.append(CredentialsProblem("username", "contains a colon, which it must not (RFC 7617 §2)"))
        }
        return problems
    }

    var secretHeaderNames: Set<HTTPField.Name> { [.authorization] }
    var secretQueryNames: Set<String> { [] }

    func mechanism(in environment: AuthenticationEnvironment) -> any AuthenticationMechanism {
        FixedFields(HTTPField(name: .authorization, value: authorization))
    }
}

extension BasicCredentials: RedactedReflection {
    /// The kind, without any of the values.
    package var description: String { "\(Self.kind) [redacted]" }
}
