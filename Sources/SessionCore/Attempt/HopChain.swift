import HTTPTypes
import Transfer

/// The requests of one attempt, each made of the one before and the answer to it: a value without I/O.
///
/// A redirect to another origin takes nothing along that was meant for the first alone: the session's header fields,
/// its credentials, and what else names who asks (`Authorization`, `Cookie`). They stay away for the rest of the
/// attempt, also when a later redirect leads back: where requests go is no longer the session's choice.
struct HopChain: Sendable {
    /// The request to send next, without credentials and cookies.
    private(set) var request: TransferRequest
    /// The redirects that led to it.
    private(set) var redirects = 0
    /// The session's credentials go along: the request goes to its own origin, and no redirect has ever left it.
    private(set) var carriesCredentials: Bool

    /// The session's cookies go along.
    let carriesCookies: Bool

    private let rule: RedirectRule
    private let sessionFields: Set<HTTPField.Name>
    private let secrets: SessionSecrets
    private let foreignFields: HTTPFields

    init(_ prepared: PreparedRequest, policy: RedirectPolicy) {
        request = prepared.transfer
        carriesCredentials = prepared.carriesCredentials
        carriesCookies = prepared.carriesCookies
        var policy = policy
        if !prepared.followsRedirects { policy.mode = .refuse }
        rule = RedirectRule(policy: policy)
        sessionFields = prepared.sessionFields
        secrets = prepared.secrets
        foreignFields = prepared.foreignFields
    }

    /// What becomes of the answer to ``request``.
    func verdict(on head: ResponseHead) -> RedirectRule.Verdict {
        rule.verdict(on: head, to: request, after: redirects)
    }

    /// Goes on to where a redirect leads.
    ///
    /// - Throws: `body_stream_exhausted` when the content has to be sent again and cannot be.
    mutating func follow(_ target: RedirectRule.Target) throws(SessionError) {
        if target.dropsContent {
            request.body = .none
            for name in Self.contentFields { request.headers[fields: name] = [] }
        } else {
            try Self.rewind(request.body)
        }
        if !target.url.isSameOrigin(as: request.url) { leaveHome() }
        redirects += 1
        request.url = target.url
        request.method = target.method
        request.mayResend = target.method.isIdempotent
    }

    /// The same request is to be sent again, as somebody has to prove who asks.
    ///
    /// - Throws: As ``follow(_:)``.
    func prepareToRepeat() throws(SessionError) {
        try Self.rewind(request.body)
    }

    private mutating func leaveHome() {
        carriesCredentials = false
        // A field that the credentials would set proves who asks when the task has set it too.
        let fields = sessionFields.union(secrets.headerNames)
        for name in fields.union([.authorization, .cookie, .proxyAuthorization]) {
            request.headers[fields: name] = []
        }
        for field in foreignFields where !request.headers.contains(field.name) {
            request.headers.append(field)
        }
    }

    private static func rewind(_ body: TransferBody) throws(SessionError) {
        guard canBeSentAgain(body) else {
            throw SessionError(.bodyStreamExhausted, "The content has to be sent again, and cannot be")
        }
    }

    /// Whether content is at its beginning, for which a source is brought back there.
    static func canBeSentAgain(_ body: TransferBody) -> Bool {
        guard case .source(let source) = body else { return true }
        return source.rewind()
    }

    /// What describes content (RFC 9110 §8), and means nothing without it.
    private static let contentFields: [HTTPField.Name] = [
        .contentType, .contentLength, .contentEncoding, .contentLanguage, .contentLocation,
    ]
}
