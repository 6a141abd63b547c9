import ErrandTransfer
import HTTPTypes

/// The requests of one attempt, each derived from the preceding request and its response: a value without I/O.
///
/// A redirect to another origin drops everything that was meant for the first origin: the session's header fields, its
/// credentials, the task's own fields that carry secrets (``HeaderRedaction/carriesSecret(_:)``), and other fields that
/// identify the sender (`Authorization`, `Cookie`). They stay dropped for the rest of the attempt, even if a later
/// redirect leads back, because the session no longer chooses the targets.
struct HopChain: Sendable {
    /// The next request to send, without credentials and cookies.
    private(set) var request: TransferRequest
    /// The number of redirects followed.
    private(set) var redirects = 0
    /// True if the session's credentials are sent: the request is for its own origin, and no redirect has left that.
    private(set) var carriesCredentials: Bool

    /// True if a redirect has left the origin of the first request, even if a later one has led back.
    private(set) var hasLeftOrigin = false
    /// The number of answers of hooks to challenges of the current request.
    private(set) var answers = 0
    /// The fields `Authorization` of the request before hooks answered its challenge; `nil` if none did.
    private var unanswered: [HTTPField]?
    /// True if the session's cookies are sent.
    private(set) var carriesCookies: Bool
    /// True if the content of the request has to be read for its digest, which is sent with it.
    private(set) var lacksDigest: Bool
    /// The changes of hooks to the requests so far.
    private(set) var hooked = HookedRequests()

    private let rule: RedirectRule
    private var sessionFields: Set<HTTPField.Name>
    private let builder: RequestBuilder

    init(_ prepared: PreparedRequest, policy: RedirectPolicy) {
        request = prepared.transfer
        carriesCredentials = prepared.carriesCredentials
        carriesCookies = prepared.carriesCookies
        lacksDigest = prepared.lacksDigest
        var policy = policy
        if !prepared.followsRedirects { policy.mode = .refuse }
        rule = RedirectRule(policy: policy)
        sessionFields = prepared.sessionFields
        builder = prepared.builder
    }

    /// Returns the verdict on the response to ``request``.
    func verdict(on head: ResponseHead) -> RedirectRule.Verdict {
        rule.verdict(on: head, to: request, after: redirects)
    }

    /// Follows a redirect.
    ///
    /// - Throws: `body_stream_exhausted` if the content must be resent but cannot be read again.
    mutating func follow(_ target: RedirectRule.Target) throws(SessionError) {
        if !target.dropsContent { try Self.rewind(request.body) }
        propose(target)
    }

    /// Derives the request that follows from a redirect, for hooks that decide about it; its content is not rewound.
    mutating func propose(_ target: RedirectRule.Target) {
        if target.dropsContent {
            request.body = .none
            request.headers.removeAll { Self.describesContent($0.name) }
        }
        // An answer is for one request: with Digest, it contains the method and the target.
        if let unanswered { request.headers[fields: .authorization] = unanswered }
        unanswered = nil
        answers = 0
        if !target.url.isSameOrigin(as: request.url) { dropOriginBoundFields() }
        redirects += 1
        request.url = target.url
        request.method = target.method
        request.mayResend = target.method.isIdempotent
    }

    /// Prepares to resend the same request after an authentication challenge.
    ///
    /// - Throws: As ``follow(_:)``.
    func prepareToRepeat() throws(SessionError) {
        try Self.rewind(request.body)
    }

    /// Prepares to resend the same request without waiting for the server's consent, which it does not support (417).
    ///
    /// - Throws: As ``follow(_:)``.
    mutating func dropExpectation() throws(SessionError) {
        try Self.rewind(request.body)
        request.expectsContinue = false
    }

    /// Adds the digest of the content, which was read for it.
    mutating func add(sha256: [UInt8]) {
        request.headers[.contentDigest] = RequestBuilder.field(ofSHA256: sha256)
        lacksDigest = false
    }

    // MARK: Hooks

    /// Replaces the first request by the one that the adapters made of it.
    ///
    /// - Throws: An error if they have changed the origin, or have broken a rule of the session.
    mutating func adapt(to adapted: TransferRequest) throws(SessionError) {
        try change(to: adapted, "An adapter")
    }

    /// Replaces the request by one for the same origin.
    private mutating func change(to changed: TransferRequest, _ hook: String) throws(SessionError) {
        guard changed.url.isSameOrigin(as: request.url) else {
            throw SessionError(.urlOutOfScope, "\(hook) has changed the origin of the request")
        }
        if changed.url != request.url, let reason = builder.refusal(of: changed.url) {
            throw SessionError(.urlOutOfScope, reason)
        }
        try replace(by: changed)
    }

    /// Replaces a challenged request by the one with which a hook answers the challenge, and rewinds kept content.
    ///
    /// - Throws: As ``adapt(to:)``; `body_stream_exhausted` if the content was kept but cannot be read again.
    mutating func answer(with chosen: TransferRequest) throws(SessionError) {
        let keepsContent = chosen.body.isSource(of: request.body)
        let before = unanswered ?? request.headers[fields: .authorization]
        try change(to: chosen, "A handler of challenges")
        if keepsContent { try Self.rewind(request.body) }
        unanswered = before
        answers += 1
    }

    /// Replaces the proposed request of a redirect by the one that a hook has chosen.
    ///
    /// - Parameters:
    ///   - chosen: The request that the hook has chosen.
    ///   - sent: The request that was redirected, whose content is rewound if the hook has kept it.
    /// - Throws: An error if the chosen request breaks a rule of the session; `body_stream_exhausted` if the content
    ///   was kept but cannot be read again.
    mutating func redirect(to chosen: TransferRequest, after sent: TransferRequest) throws(SessionError) {
        let isElsewhere = !chosen.url.isSameOrigin(as: request.url)
        guard rule.policy.mode != .sameOrigin || !isElsewhere else {
            throw SessionError(.redirectRefused, "The session does not follow redirects to another origin")
        }
        let chosenFields = try replace(by: chosen)
        if chosen.body.isSource(of: sent.body) { try Self.rewind(chosen.body) }
        guard isElsewhere else { return }
        let headers = request.headers
        dropOriginBoundFields()
        for name in chosenFields { request.headers[fields: name] = headers[fields: name] }
    }

    /// Replaces the request by one that a hook has changed.
    ///
    /// The changed fields are bound to the origin, like those of the session.
    ///
    /// - Returns: Their names.
    @discardableResult
    private mutating func replace(by chosen: TransferRequest) throws(SessionError) -> Set<HTTPField.Name> {
        guard chosen.method == request.method || builder.configuration.allowedMethods.contains(chosen.method) else {
            throw SessionError(.methodNotAllowed, "The session does not allow \(chosen.method.rawValue)")
        }
        let changed = try Self.suitingMethod(chosen)
        let names = Set(request.headers.map(\.name)).union(changed.headers.map(\.name))
            .filter { request.headers[fields: $0] != changed.headers[fields: $0] }
        for name in names {
            for field in changed.headers[fields: name] {
                if let reason = RequestHeaderRules.reasonToRefuse(field: field) {
                    throw SessionError(.hookFailed, "A hook has set the field \(name.rawName): \(reason)")
                }
            }
        }
        hooked.record(changed, insteadOf: request)
        let decidesAnew = changed.method != request.method || names.contains(.idempotencyKey)
        let isForbidden = request.mayResend && !changed.mayResend
        let digestIsStale =
            request.headers.contains(.contentDigest) && !names.contains(.contentDigest)
            && !changed.body.isSame(as: request.body)
        let decidesCodings =
            changed.acceptsCompression == request.acceptsCompression
            && (names.contains(.range) || names.contains(.acceptEncoding))
        request = changed
        if decidesCodings { request.acceptsCompression = builder.acceptsCompression(with: changed.headers) }
        if digestIsStale { lacksDigest = builder.renewDigest(of: &request) }
        if decidesAnew {
            request.mayResend =
                !isForbidden && (changed.method.isIdempotent || changed.headers.contains(.idempotencyKey))
        }
        if builder.secrets.hasField(among: Array(names)) { carriesCredentials = false }
        if names.contains(.cookie) { carriesCookies = false }
        sessionFields.formUnion(names)
        return names
    }

    /// Returns a request with content only if its method may have some: empty content is dropped, with its fields.
    ///
    /// - Throws: An error if there is other content.
    private static func suitingMethod(_ request: TransferRequest) throws(SessionError) -> TransferRequest {
        guard let reason = RequestMethodRules.reasonToRefuseContent(with: request.method) else { return request }
        switch request.body {
        case .none:
            return request
        case .bytes(let bytes) where bytes.isEmpty:
            var request = request
            request.body = .none
            request.headers.removeAll { Self.describesContent($0.name) }
            return request
        case .bytes, .source:
            throw SessionError(.unserializableParameters, reason)
        }
    }

    private mutating func dropOriginBoundFields() {
        carriesCredentials = false
        hasLeftOrigin = true
        // What the task or a hook has removed is removed from requests to other origins too.
        let foreign = builder.foreignHeaders.filter { request.headers.contains($0.name) }
        // A field that the credentials would set identifies the sender even if the task has set it, and so does a field
        // in which the session sends a secret, or the task itself.
        let secrets = builder.secrets
        let fields = sessionFields.union(secrets.headerNames).union(secrets.ownNames)
            .union(HeaderRedaction.secretNames(in: request.headers))
        for name in fields.union([.authorization, .cookie, .proxyAuthorization]) {
            request.headers[fields: name] = []
        }
        for field in foreign where !request.headers.contains(field.name) {
            request.headers.append(field)
        }
    }

    private static func rewind(_ body: TransferBody) throws(SessionError) {
        guard rewindForResend(body) else {
            throw SessionError(.bodyStreamExhausted, "The content must be sent again but cannot be read a second time")
        }
    }

    /// Rewinds content for a resend; returns false if that is impossible.
    static func rewindForResend(_ body: TransferBody) -> Bool {
        guard case .source(let source) = body else { return true }
        return source.rewind()
    }

    /// Returns true for the fields that describe content, and are dropped with it (RFC 9110 §15.4, RFC 9530 §2); also
    /// for the digest of content in signatures of AWS.
    private static func describesContent(_ name: HTTPField.Name) -> Bool {
        name.canonicalName.hasPrefix("content-")
            || ["digest", "repr-digest", "last-modified", "x-amz-content-sha256"].contains(name.canonicalName)
    }
}

extension TransferBody {
    /// Returns true if both are the same content: equal bytes, or the same source.
    fileprivate func isSame(as other: TransferBody) -> Bool {
        switch (self, other) {
        case (.none, .none): true
        case (.bytes(let bytes), .bytes(let others)): bytes == others
        case (.source(let source), .source(let another)): source === another
        default: false
        }
    }

    /// Returns true if both contents are read from the same source.
    fileprivate func isSource(of other: TransferBody) -> Bool {
        guard case .source(let source) = self, case .source(let another) = other else { return false }
        return source === another
    }
}
