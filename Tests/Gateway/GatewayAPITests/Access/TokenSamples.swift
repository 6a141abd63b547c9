import ErrandSettings

@testable import ErrandConfiguration

extension AuthConfiguration.Token {
    /// Returns a token for tests, whose text is its name followed by `-token-0123456789`.
    static func sample(
        _ name: String, _ scopes: Set<AuthConfiguration.Scope> = [.tasksRead, .tasksWrite], sessions: [String]? = nil,
        rate: String? = nil
    ) -> AuthConfiguration.Token {
        var token = AuthConfiguration.Token()
        token.name = name
        token.credential = .text("\(name)-token-0123456789")
        token.scopes = scopes
        token.sessions = sessions
        token.rate = rate.flatMap { Rate($0) }
        return token
    }

    /// Returns the field line with a sample token.
    static func field(_ name: String) -> String {
        "Authorization: Bearer \(name)-token-0123456789"
    }
}
