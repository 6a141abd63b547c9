import ErrandConfiguration
import ErrandCryptography
import ErrandHTTPServer
import ErrandTaskEngine
import ErrandTaskStore
import HTTPTypes

/// The authorization of requests by bearer token: `Authorization: Bearer …` (RFC 6750 §2.1).
///
/// | request | response |
/// | --- | --- |
/// | no token, or an unknown one | 401 |
/// | two `Authorization` fields | 400 |
/// | an operation under a foreign name, without a token | 421 |
/// | a token over its rate | 429 |
/// | a token without the required scope | 403 |
///
/// If no tokens are configured, every request is accepted as ``Caller/anonymous``. Only this type turns an ``APIRoute``
/// into a route of the server, so that no route bypasses it, and only this type writes the audit log of the routes.
struct AccessControl: Sendable {
    private let tokens: [AccessToken]
    /// True if operation endpoints require a token too.
    private let protectsOperations: Bool
    /// The names under which operations need no token; `nil` for any name.
    private let hosts: HostNames?
    private let audit: AuditLog
    /// True if responses get the name of the token for the access log.
    private let logsAccess: Bool

    /// - Parameters:
    ///   - logsAccess: True if responses get the name of the token for the access log.
    ///   - hosts: The names under which operations need no token; `nil` for any name.
    ///   - former: The instance in force; tokens with the same name and rate keep their rate limiter.
    init(
        _ configuration: AuthConfiguration, audit: AuditLog, logsAccess: Bool = false, hosts: HostNames? = nil,
        replacing former: AccessControl? = nil
    ) {
        tokens = configuration.tokens.map { AccessToken($0, replacing: former?.tokens ?? []) }
        protectsOperations = configuration.protectsOperations
        self.hosts = hosts
        self.audit = audit
        self.logsAccess = logsAccess
    }

    // MARK: Routes

    /// Returns the router of some routes, each with its access check.
    ///
    /// - Throws: An error in the routes.
    func router(of routes: [APIRoute]) throws(RouteError) -> Router {
        try Router(routes: routes.map { guarding($0) }, miss: guarding(RouteMiss(routes)))
    }

    private func guarding(_ route: APIRoute) -> Route {
        Route(route.method, route.pattern) { head, parameters in
            let subject = AuditNotes.Subject(
                task: parameters["id"].flatMap { TaskID($0) },
                session: route.concernsSession ? parameters["name"] : nil)
            return admit(head, to: route.pattern, needing: route.need, subject: subject) { caller, limiter, notes in
                let request = APIRequest(
                    head: head, parameters: parameters, caller: caller, notes: notes, limiter: limiter)
                do throws(RequestRefusal) {
                    return try route.admit(request)
                } catch {
                    return .immediate(error.response(to: head))
                }
            }
        }
    }

    /// Returns the handler of unmatched requests with an access check, so that only callers with a token learn which
    /// routes exist besides the operations.
    private func guarding(_ miss: RouteMiss) -> @Sendable (RequestHead, Router.Miss) -> RequestDisposition {
        { head, reason in
            admit(head, to: nil, needing: miss.need(of: reason), subject: AuditNotes.Subject()) { _, _, _ in
                miss.answer(head, reason)
            }
        }
    }

    /// Decides about an authorized request, given its caller, the rate limiter of its token, and its audit notes.
    private typealias Entrance = (Caller, RateLimiter?, AuditNotes?) -> RequestDisposition

    private func admit(
        _ head: RequestHead, to route: String?, needing need: AccessNeed, subject: AuditNotes.Subject,
        enter: Entrance
    ) -> RequestDisposition {
        guard !tokens.isEmpty else {
            return audited(AuditLog.Entry(head: head, route: route, subject: subject)) { enter(.anonymous, nil, $0) }
        }
        guard need != .nothing || protectsOperations else {
            guard let refusal = refusal(ofHost: head) else { return enter(.unknown, nil, nil) }
            return refuse(refusal, AuditLog.Entry(head: head, route: route, subject: subject))
        }
        var entry = AuditLog.Entry(head: head, route: route, subject: subject)
        let token: AccessToken
        do {
            token = try identify(head)
        } catch {
            return refuse(error, entry)
        }
        entry.tokenName = token.caller.tokenName
        var disposition = admit(entry, with: token, needing: need, enter)
        if logsAccess {
            let tag = AccessTag(tokenName: token.caller.tokenName)
            disposition = disposition.changingResponses { $0.tag = tag }
        }
        guard let limiter = token.limiter else { return disposition }
        return disposition.changingResponses { $0 = limiter.describing($0) }
    }

    private func admit(
        _ entry: AuditLog.Entry, with token: AccessToken, needing need: AccessNeed, _ enter: Entrance
    ) -> RequestDisposition {
        do {
            try token.limiter?.take()
        } catch {
            return refuse(error, entry)
        }
        if let refusal = need.refusal(of: token.caller) { return refuse(refusal, entry) }
        return audited(entry) { enter(token.caller, token.limiter, $0) }
    }

    /// Returns the reason to refuse a request for an operation by its `Host`; `nil` if it may be answered.
    ///
    /// A web page whose own name resolves to this machine (DNS rebinding) can send any header field, so that only a
    /// known token is a reason to answer under a foreign name. A request without `Host` comes from no browser.
    private func refusal(ofHost head: RequestHead) -> AccessRefusal? {
        guard let hosts, let host = head.host, !hosts.contains(authority: host) else { return nil }
        do throws(AccessRefusal) {
            _ = try identify(head)
            return nil
        } catch {
            return error == .noToken ? .foreignHost : error
        }
    }

    private func refuse(_ refusal: AccessRefusal, _ entry: AuditLog.Entry) -> RequestDisposition {
        let response = refusal.response(to: entry.head)
        audit.refused(entry, response.status)
        return .immediate(response)
    }

    /// Logs the response to a request for a change, with the subject that the endpoint has noted.
    private func audited(
        _ entry: AuditLog.Entry, _ enter: (AuditNotes?) -> RequestDisposition
    ) -> RequestDisposition {
        guard !AuditLog.isSafe(entry.head.method) else { return enter(nil) }
        let notes = AuditNotes(entry, in: audit)
        return enter(notes).observingResponses { notes.write($0.status) }
    }

    // MARK: Tokens

    private func identify(_ head: RequestHead) throws(AccessRefusal) -> AccessToken {
        let presented = try Self.bearerToken(of: head)
        guard let token = Self.find(SHA256.hash(Array(presented.utf8)), among: tokens) else { throw .unknownToken }
        return token
    }

    /// Returns the token with a digest, or `nil`.
    ///
    /// Compares with every token in constant time, so that the duration reveals nothing about the guess.
    static func find(
        _ digest: [UInt8], among tokens: [AccessToken],
        isEqual: ([UInt8], [UInt8]) -> Bool = constantTimeEquals
    ) -> AccessToken? {
        var found: AccessToken?
        for token in tokens {
            let isMatch = isEqual(digest, token.sha256)
            if isMatch, found == nil { found = token }
        }
        return found
    }

    private static func bearerToken(of head: RequestHead) throws(AccessRefusal) -> String {
        let values = head.headers[values: .authorization]
        guard values.count <= 1 else { throw .repeatedAuthorization }
        let parts = values.first?.split(separator: " ", maxSplits: 1) ?? []
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw .noToken }
        let token = parts[1].drop { $0 == " " }
        guard !token.isEmpty else { throw .noToken }
        return String(token)
    }
}
