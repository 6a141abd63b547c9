package import ErrandTransfer

/// A server that an ``Authenticator`` calls before it can authorize a request.
package struct CredentialsEndpoint: Sendable, Hashable {
    /// The name for users, such as `token endpoint`.
    package let name: String
    /// The member of the credentials with the URL, by its name in configurations, such as `token_url`.
    package let member: String
    /// The URL.
    package let url: HTTPURL
}
