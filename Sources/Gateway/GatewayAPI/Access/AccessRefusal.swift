import ErrandConfiguration
import ErrandHTTPServer
import ErrandTaskEngine
import HTTPTypes

/// The reason to refuse a request.
enum AccessRefusal: Error, Sendable, Hashable {
    /// The request has no token.
    case noToken
    /// The token is unknown.
    case unknownToken
    /// The request for an operation has no token, and `Host` is the name of another server.
    case foreignHost
    /// The request has several `Authorization` fields, and none has precedence.
    case repeatedAuthorization
    /// The token lacks a scope.
    case missingScope(Caller.Scope)
    /// The operation concerns all sessions, and the token is restricted to some.
    case limitedToSessions
    /// The token is over its rate.
    case rateExceeded(retryAfterSeconds: Int)

    /// Returns the refusal as a response (RFC 6750 §3, RFC 6585 §4, RFC 9110 §15.5.20).
    func response(to head: RequestHead) -> ServerResponse {
        switch self {
        case .noToken:
            head.response(
                .unauthorized, "a token is required: Authorization: Bearer …",
                headers: [.wwwAuthenticate: Self.challenge()]
            )
        case .unknownToken:
            head.response(
                .unauthorized, "unknown token", headers: [.wwwAuthenticate: Self.challenge("invalid_token")])
        case .foreignHost:
            head.response(
                .misdirectedRequest, BrowserRules.detail(ofHost: head.host) + ", or send a token")
        case .repeatedAuthorization:
            head.response(
                .ambiguousAuthorization, "expected one Authorization field, found several",
                headers: [.wwwAuthenticate: Self.challenge("invalid_request")])
        case .missingScope(let scope):
            head.response(
                .insufficientScope, "the token lacks the scope \(scope.rawValue)",
                headers: [.wwwAuthenticate: Self.challenge("insufficient_scope", scope: scope)])
        case .limitedToSessions:
            head.response(
                .sessionForbidden, "this operation concerns all sessions, but the token is restricted to some")
        case .rateExceeded(let seconds):
            head.response(
                .tooManyRequests, "the token exceeded its rate (auth.tokens.rate)",
                headers: [.retryAfter: String(seconds)])
        }
    }

    /// Returns the value of `WWW-Authenticate` (RFC 6750 §3).
    static func challenge(_ error: String? = nil, scope: Caller.Scope? = nil) -> String {
        var value = #"Bearer realm="errand""#
        if let error { value += #", error="\#(error)""# }
        if let scope { value += #", scope="\#(scope.rawValue)""# }
        return value
    }
}
