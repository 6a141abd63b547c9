import Configuration
import Digest
import HTTPServer
import HTTPTypes
import TaskStore

/// Lets requests in that show a token which is good for what they ask: `Authorization: Bearer …` (RFC 6750 §2.1).
///
/// | request | answer |
/// | --- | --- |
/// | no token, or one that is not known | 401 |
/// | two `Authorization` fields | 400 |
/// | a token that has used up its rate | 429 |
/// | a token without the scope that the route needs | 403 |
///
/// Without tokens everybody is let in, as ``Caller/anonymous``. It is the only way to make a server's route of an
/// ``APIRoute``, so that nothing can be reached around it, and the one place that writes the audit log of the routes.
struct AccessControl: Sendable {
    private let tokens: [AccessToken]
    /// Operations need a token too.
    private let protectsOperations: Bool
    private let audit: AuditLog

    /// - Parameter former: What is in force until now: tokens with the same name and rate go on with what is left.
    init(_ configuration: AuthConfiguration, audit: AuditLog, replacing former: AccessControl? = nil) {
        tokens = configuration.tokens.map { AccessToken($0, replacing: former?.tokens ?? []) }
        protectsOperations = configuration.protectsOperations
        self.audit = audit
    }

    // MARK: Routes

    /// The route with its guard.
    func guarding(_ route: APIRoute) -> Route {
        Route(route.method, route.pattern) { head, parameters in
            let notes = AuditNotes(
                task: parameters["id"].flatMap { TaskID($0) },
                // Schedules have names too.
                session: route.pattern.hasPrefix("/v1/sessions/") ? parameters["name"] : nil)
            return admit(head, to: route.pattern, needing: route.need, notes) { caller in
                if let problem = route.queryProblem(of: head) { return .answer(problem.answer(to: head)) }
                return route.handler(APIRequest(head: head, parameters: parameters, caller: caller, notes: notes))
            }
        }
    }

    /// What answers requests without a route, with its guard: who shows no token does not learn which routes there are.
    func guarding(
        _ miss: @escaping @Sendable (RequestHead, Router.Miss) -> HTTPServer.Admission
    ) -> @Sendable (RequestHead, Router.Miss) -> HTTPServer.Admission {
        { head, reason in
            admit(head, to: nil, needing: .token, AuditNotes()) { _ in miss(head, reason) }
        }
    }

    private func admit(
        _ head: RequestHead, to route: String?, needing need: AccessNeed, _ notes: AuditNotes,
        _ enter: (Caller) -> HTTPServer.Admission
    ) -> HTTPServer.Admission {
        var entry = AuditLog.Entry(head: head, route: route, subject: notes.subject)
        guard !tokens.isEmpty else { return audited(enter(.anonymous), entry, notes) }
        guard need != .nothing || protectsOperations else { return enter(.unknown) }
        let token: AccessToken
        do {
            token = try identify(head)
        } catch {
            return refuse(error, entry)
        }
        entry.tokenName = token.caller.tokenName
        let admission = admit(entry, token, need, notes, enter)
        guard let limiter = token.limiter else { return admission }
        return admission.mappingAnswers { limiter.describing($0) }
    }

    private func admit(
        _ entry: AuditLog.Entry, _ token: AccessToken, _ need: AccessNeed, _ notes: AuditNotes,
        _ enter: (Caller) -> HTTPServer.Admission
    ) -> HTTPServer.Admission {
        do {
            try token.limiter?.take()
        } catch {
            return refuse(error, entry)
        }
        if let refusal = need.refusal(of: token.caller) { return refuse(refusal, entry) }
        return audited(enter(token.caller), entry, notes)
    }

    private func refuse(_ refusal: AccessRefusal, _ entry: AuditLog.Entry) -> HTTPServer.Admission {
        let answer = refusal.answer(to: entry.head)
        audit.refused(entry, answer.status)
        return .answer(answer)
    }

    private func audited(
        _ admission: HTTPServer.Admission, _ entry: AuditLog.Entry, _ notes: AuditNotes
    ) -> HTTPServer.Admission {
        guard !AuditLog.isSafe(entry.head.method) else { return admission }
        return admission.observingAnswers { [audit] answer in
            var entry = entry
            entry.subject = notes.subject
            audit.answered(entry, answer.status)
        }
    }

    // MARK: Tokens

    private func identify(_ head: RequestHead) throws(AccessRefusal) -> AccessToken {
        let presented = try Self.bearerToken(of: head)
        guard let token = Self.find(SHA256.hash(Array(presented.utf8)), among: tokens) else { throw .unknownToken }
        return token
    }

    /// The token with a digest; `nil` when there is none.
    ///
    /// Compares with every token, each in constant time: how long it takes tells nothing about how close a guess was.
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
