package import Configuration

/// Who makes a request, and what he may do.
///
/// It is made after the token was checked, and endpoints get it with each request: there is no request without one.
package struct Caller: Sendable, Hashable {
    /// What a token may be used for.
    package typealias Scope = AuthConfiguration.Scope

    /// The name of the token, for logs; `nil` for somebody without one.
    package let tokenName: String?
    /// What he may do; ``Scope/admin`` stands for all of them, no other scope for another.
    package let scopes: Set<Scope>
    /// The sessions that there are for him; `nil` for all.
    package let sessions: Set<String>?

    /// Anybody who can connect to a gateway without tokens: he may do everything.
    package static let anonymous = Caller(tokenName: nil, scopes: [.admin], sessions: nil)

    /// Somebody who has not said who he is, where that is not asked: he may do nothing else.
    static let unknown = Caller(tokenName: nil, scopes: [], sessions: [])

    /// Whether he may do what needs a scope.
    func has(_ scope: Scope) -> Bool {
        scopes.contains(scope) || scopes.contains(.admin)
    }

    /// Whether there is such a session for him, so that its tasks are there too.
    func sees(session: String) -> Bool {
        sessions?.contains(session) ?? true
    }

    /// What is left for him of a choice of sessions, `nil` being all.
    func narrowing(_ choice: Set<String>?) -> Set<String>? {
        guard let sessions else { return choice }
        return choice.map { $0.intersection(sessions) } ?? sessions
    }
}
