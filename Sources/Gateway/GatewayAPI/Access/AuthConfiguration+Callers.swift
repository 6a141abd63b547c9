import ErrandConfiguration
import ErrandTaskEngine

extension AuthConfiguration.Token {
    /// The caller that the token authenticates.
    var caller: Caller {
        Caller(tokenName: name, scopes: scopes, sessions: sessions.map { Set($0) })
    }
}

extension AuthConfiguration {
    /// Returns true if a caller whom an earlier configuration has admitted may go on.
    ///
    /// Its token must be the same, with a scope and with all sessions that it had. Without a token, there must be none.
    ///
    /// - Parameters:
    ///   - scope: The scope of what the caller does.
    ///   - former: The configuration that has admitted the caller.
    func stillAdmits(_ caller: Caller, to scope: Scope, admittedBy former: AuthConfiguration) -> Bool {
        guard let name = caller.tokenName else { return tokens.isEmpty }
        guard let token = tokens.first(where: { $0.name == name }),
            let earlier = former.tokens.first(where: { $0.name == name }), token.digest == earlier.digest,
            token.caller.has(scope)
        else { return false }
        guard let visible = token.caller.sessions else { return true }
        return caller.sessions?.isSubset(of: visible) ?? false
    }
}
