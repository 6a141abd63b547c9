import Configuration
import HTTPServer
import HTTPTypes

/// Why a request is not let in.
enum AccessRefusal: Error, Sendable, Hashable {
    /// It shows no token.
    case noToken
    /// It shows one that is not known.
    case unknownToken
    /// It has several `Authorization` fields: which of them counts is nobody's guess.
    case repeatedAuthorization
    /// The token is not for this.
    case missingScope(Caller.Scope)
    /// What is asked concerns all sessions, and the token is limited to some.
    case limitedToSessions
    /// The token has used up its rate.
    case rateExceeded(retryAfterSeconds: Int)

    /// The refusal as the answer (RFC 6750 §3, RFC 6585 §4).
    func answer(to head: RequestHead) -> ServerResponse {
        switch self {
        case .noToken:
            head.answer(
                .unauthorized, "a token is needed: Authorization: Bearer …",
                headers: [.wwwAuthenticate: Self.challenge()]
            )
        case .unknownToken:
            head.answer(
                .unauthorized, "the token is not known", headers: [.wwwAuthenticate: Self.challenge("invalid_token")])
        case .repeatedAuthorization:
            head.answer(
                .ambiguousAuthorization, "there is more than one Authorization field",
                headers: [.wwwAuthenticate: Self.challenge("invalid_request")])
        case .missingScope(let scope):
            head.answer(
                .insufficientScope, "the token needs the scope \(scope.rawValue)",
                headers: [.wwwAuthenticate: Self.challenge("insufficient_scope", scope: scope)])
        case .limitedToSessions:
            head.answer(.sessionForbidden, "this concerns all sessions, and the token is limited to some")
        case .rateExceeded(let seconds):
            head.answer(
                .tooManyRequests, "the token has used up its rate (auth.tokens.rate)",
                headers: [.retryAfter: String(seconds)])
        }
    }

    /// The value of `WWW-Authenticate` (RFC 6750 §3).
    private static func challenge(_ error: String? = nil, scope: Caller.Scope? = nil) -> String {
        var value = #"Bearer realm="errand""#
        if let error { value += #", error="\#(error)""# }
        if let scope { value += #", scope="\#(scope.rawValue)""# }
        return value
    }
}
