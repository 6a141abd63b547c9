package import ErrandTransfer
import HTTPTypes

/// The rules of one kind of credentials.
///
/// Each kind is a type in a folder of its own and a case of ``Credentials``. Apart from the settings, no other code
/// depends on the kind.
protocol CredentialsKind: Sendable {
    /// The name of the kind in configurations.
    static var kind: String { get }

    /// The problems of the values; empty if they can be used.
    var problems: [CredentialsProblem] { get }
    /// The header fields that contain secrets and must be shown without values.
    var secretHeaderNames: Set<HTTPField.Name> { get }
    /// The query items that contain secrets, unescaped, and must be shown without values.
    var secretQueryNames: Set<String> { get }
    /// The values of these query items, unescaped; none by default.
    var secretQueryValues: Set<String> { get }
    /// The servers that are called before a request can be authorized; none by default.
    var endpoints: [CredentialsEndpoint] { get }

    /// Creates the mechanism for values without problems.
    func mechanism(in environment: AuthenticationEnvironment) -> any AuthenticationMechanism
}

extension CredentialsKind {
    var secretQueryValues: Set<String> { [] }
    var endpoints: [CredentialsEndpoint] { [] }
}

/// The reason for which credentials cannot be used.
public struct CredentialsProblem: Sendable, Hashable, CustomStringConvertible {
    /// The invalid member, by its name in configurations, such as `client_id`.
    public var member: String
    /// The message for users, without the value: a clause whose subject is the member.
    public var detail: String

    /// Creates a problem.
    public init(_ member: String, _ detail: String) {
        self.member = member
        self.detail = detail
    }

    /// The member and the detail.
    public var description: String { "\(member) \(detail)" }
}

/// A server that an ``Authenticator`` calls before it can authorize a request.
package struct CredentialsEndpoint: Sendable, Hashable {
    /// The name for users, such as `token endpoint`.
    package let name: String
    /// The member of the credentials with the URL, by its name in configurations, such as `token_url`.
    package let member: String
    /// The URL.
    package let url: HTTPURL
}
