package import ErrandConfiguration

/// The caller of a request, with its permissions.
///
/// Created once the token is checked, and passed to endpoints with each request.
package struct Caller: Sendable, Hashable {
    /// A permission of a token.
    package typealias Scope = AuthConfiguration.Scope

    /// The name of the token, for logs; `nil` for a caller without a token.
    package let tokenName: String?
    /// The scopes; ``Scope/admin`` includes all others, no other scope includes another.
    package let scopes: Set<Scope>
    /// The visible sessions; `nil` for all.
    package let sessions: Set<String>?

    /// Creates a caller with permissions.
    package init(tokenName: String?, scopes: Set<Scope>, sessions: Set<String>?) {
        self.tokenName = tokenName
        self.scopes = scopes
        self.sessions = sessions
    }

    /// The caller of a gateway without tokens, with all permissions.
    package static let anonymous = Caller(tokenName: nil, scopes: [.admin], sessions: nil)

    /// The caller of an operation endpoint without authentication, with no scopes.
    package static let unknown = Caller(tokenName: nil, scopes: [], sessions: [])

    /// Returns true if the caller has a scope.
    package func has(_ scope: Scope) -> Bool {
        scopes.contains(scope) || scopes.contains(.admin)
    }

    /// Returns true if the caller may see a session and its tasks.
    package func sees(session: String) -> Bool {
        sessions?.contains(session) ?? true
    }

    /// Returns the intersection of a selection of sessions with the visible ones; `nil` stands for all.
    package func narrowing(_ choice: Set<String>?) -> Set<String>? {
        guard let sessions else { return choice }
        return choice.map { $0.intersection(sessions) } ?? sessions
    }
}
