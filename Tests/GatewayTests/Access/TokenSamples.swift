@testable import Configuration

extension AuthConfiguration.Token {
    /// A token for tests, whose text is its name, with `-token-0123456789` behind it.
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

    /// The field line that shows a sample.
    static func field(_ name: String) -> String {
        "Authorization: Bearer \(name)-token-0123456789"
    }
}
