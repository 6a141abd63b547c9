import ErrandRequestSerialization
import ErrandResponseSerialization
import ErrandTransfer
import HTTPTypes

/// A builder of requests from tasks, by the rules of one session.
///
/// Pure and created once per session, so that values common to all tasks are computed only once. Every rule is applied
/// even if earlier ones failed, so that all problems are reported at once.
final class RequestBuilder: Sendable {
    let configuration: SessionConfiguration
    /// The URL against which paths are resolved.
    let base: HTTPURL?
    /// The header fields of requests to the session's own origin.
    let ownHeaders: HTTPFields
    /// The problems of the configured header fields and timeouts, which all requests have; empty as a rule.
    private let ownProblems: [RequestProblem]
    /// The names of ``ownHeaders``.
    let ownNames: Set<HTTPField.Name>
    /// The header fields of requests to other origins.
    let foreignHeaders: HTTPFields
    /// Opens the files that tasks send.
    let uploads: (any UploadFiles)?
    /// The secrets to hide.
    let secrets: SessionSecrets
    /// The session's hooks and serializers.
    let hooks: SessionHooks
    /// The extras of a request that has none of its own.
    let ownExtras: RequestExtras?

    init(
        _ configuration: SessionConfiguration, uploads: (any UploadFiles)? = nil, hooks: SessionHooks = SessionHooks()
    ) {
        self.configuration = configuration
        self.uploads = uploads
        self.hooks = hooks
        ownExtras = hooks.isEmpty ? nil : RequestExtras(hooks.parts)
        secrets = SessionSecrets(configuration.credentials, headers: configuration.headers)
        base = configuration.baseURL?.withTrailingSlashPath
        var foreign = HTTPFields()
        foreign[.userAgent] = configuration.userAgent
        foreignHeaders = foreign
        let headerProblems = Self.problems(of: configuration.headers)
        ownProblems = headerProblems + Self.problems(of: configuration.timeouts)
        var own = configuration.headers
        // Probes are sent nevertheless.
        if !headerProblems.isEmpty { own.removeAll { RequestHeaderRules.reasonToRefuse(field: $0) != nil } }
        if let userAgent = configuration.userAgent, !own.contains(.userAgent) {
            own[.userAgent] = userAgent
        }
        ownHeaders = own
        ownNames = Set(own.map(\.name))
    }

    /// Returns a builder by the same rules, but without a limit on the rate of forms.
    func withoutThrottle() -> RequestBuilder {
        var unthrottled = configuration
        unthrottled.request.options.throttle = nil
        return RequestBuilder(unthrottled, uploads: uploads, hooks: hooks)
    }

    func build(_ task: TaskRequest) throws(RequestProblems) -> PreparedRequest {
        var problems = ownProblems
        let method = method(of: task, &problems)
        let url = url(of: task, method: method, &problems)
        let content = content(of: task, method: method, &problems)
        let isOwnOrigin = url.map { !leavesOrigin($0) } ?? true
        var headers = headers(of: task, isOwnOrigin: isOwnOrigin, content: content, &problems)
        var body = content.body
        let isCoded = headers.fields.contains(.contentEncoding)
        let mayCompress = task.mayCompress && !headers.removesContentEncoding
        if mayCompress, let compressed = compressed(body, isCoded: isCoded, &problems) {
            body = compressed.body
            headers.fields[.contentEncoding] = compressed.contentEncoding
        }
        let lacksDigest = headers.removesContentDigest ? false : addDigest(of: body, to: &headers.fields)
        let timeouts = timeouts(of: task, &problems)
        if let first = problems.first {
            throw RequestProblems(first, problems.dropFirst())
        }
        // Without problems both exist; otherwise a problem was recorded.
        guard let method, let url else {
            throw RequestProblems(
                RequestProblem(at: [], detail: "The request has no method or no URL", code: .internal))
        }
        // Without a base URL the session has no origin of its own.
        let isOwnUpstream = isOwnOrigin && base != nil
        let extras = extras(of: task, isOwnUpstream: isOwnUpstream)
        var transfer = TransferRequest(
            method: method, url: url, headers: headers.fields, body: body, timeouts: timeouts,
            acceptsCompression: acceptsCompression(with: headers.fields) && !headers.removesAcceptEncoding,
            acceptsAnything: !headers.removesAccept,
            mayResend: method.isIdempotent || headers.fields.contains(.idempotencyKey))
        transfer.expectsContinue = expectsContinue(before: body)
        return PreparedRequest(
            transfer: transfer,
            responseSerializer: extras?.hooks.responseSerializer == nil
                ? task.responseSerializer ?? configuration.response.serializer : .raw,
            isOwnOrigin: isOwnUpstream,
            // A task's own credentials take precedence.
            carriesCredentials: isOwnUpstream && !headers.setsCredentials,
            sessionFields: headers.sessionFields,
            continuesTraces: !headers.removesTrace && !headers.fields.contains(.traceParent),
            carriesCookies: !headers.hasCookies, lacksDigest: lacksDigest,
            followsRedirects: task.followsRedirects, isJudgedByStatus: task.isJudgedByStatus, extras: extras,
            builder: self)
    }

    /// Returns the problems of header fields that a session would add to its requests.
    private static func problems(of headers: HTTPFields) -> [RequestProblem] {
        headers.compactMap { field in
            RequestHeaderRules.reasonToRefuse(field: field).map { reason in
                RequestProblem(
                    at: ["headers", field.name.rawName], detail: "A header field of the session is refused: \(reason)")
            }
        }
    }

    // MARK: Method

    private func method(of task: TaskRequest, _ problems: inout [RequestProblem]) -> HTTPRequest.Method? {
        guard let method = RequestMethodRules.method(named: task.method, hasBody: task.body != nil) else {
            problems.append(
                RequestProblem(
                    at: ["method"], detail: "The method is not a token (RFC 9110 §9.1)", code: .methodNotAllowed))
            return nil
        }
        if let reason = RequestMethodRules.reasonToRefuse(method) {
            problems.append(RequestProblem(at: ["method"], detail: reason, code: .methodNotAllowed))
        } else if !configuration.allowedMethods.contains(method) {
            let allowed = configuration.allowedMethods.map(\.rawValue).joined(separator: ", ")
            problems.append(
                RequestProblem(
                    at: ["method"], detail: "The session does not allow \(method.rawValue), only \(allowed)",
                    code: .methodNotAllowed))
        }
        return method
    }

    // MARK: Timeouts

    /// Returns the problems of timeouts that a session would give to its requests.
    private static func problems(of timeouts: TransferTimeouts) -> [RequestProblem] {
        TaskTimeouts(connect: timeouts.connect, idle: timeouts.idle, total: timeouts.total).invalidNames.map { name in
            RequestProblem(at: ["timeouts", name], detail: "A timeout of the session must be greater than zero")
        }
    }

    private func timeouts(of task: TaskRequest, _ problems: inout [RequestProblem]) -> TransferTimeouts {
        for name in task.timeouts.invalidNames {
            problems.append(RequestProblem(at: ["timeouts", name], detail: "A timeout must be greater than zero"))
        }
        return TransferTimeouts(
            connect: task.timeouts.connect ?? configuration.timeouts.connect,
            idle: task.timeouts.idle ?? configuration.timeouts.idle,
            total: task.timeouts.total ?? configuration.timeouts.total)
    }
}

extension TaskTimeouts {
    /// The names of those that are not greater than zero.
    fileprivate var invalidNames: [String] {
        [("connect", connect), ("idle", idle), ("total", total)].compactMap { name, limit in
            limit.map { $0 <= .zero } ?? false ? name : nil
        }
    }
}
