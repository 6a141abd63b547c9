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

    /// The caller of a gateway without tokens, with all permissions.
    package static let anonymous = Caller(tokenName: nil, scopes: [.admin], sessions: nil)

    /// The caller of an operation endpoint without authentication, with no scopes.
    static let unknown = Caller(tokenName: nil, scopes: [], sessions: [])

    /// Returns true if the caller has a scope.
    func has(_ scope: Scope) -> Bool {
        scopes.contains(scope) || scopes.contains(.admin)
    }

    /// Returns true if the caller may see a session and its tasks.
    func sees(session: String) -> Bool {
        sessions?.contains(session) ?? true
    }

    /// Returns the intersection of a selection of sessions with the visible ones; `nil` stands for all.
    func narrowing(_ choice: Set<String>?) -> Set<String>? {
        guard let sessions else { return choice }
        return choice.map { $0.intersection(sessions) } ?? sessions
    }
}
