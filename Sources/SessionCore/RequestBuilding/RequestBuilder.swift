import HTTPGrammar
import HTTPTypes
import RequestSerialization
import Transfer

/// Makes what goes to the wire out of what a task asks for, by the rules of one session.
///
/// Pure and made once a session: what does not change from task to task is worked out at the start. Every rule is
/// applied whatever became of the ones before it, so that all problems are found at once.
struct RequestBuilder: Sendable {
    let configuration: SessionConfiguration
    /// What paths are resolved against.
    let base: HTTPURL?
    /// The header fields of requests to the session's own origin.
    let ownHeaders: HTTPFields
    /// Their names.
    let ownNames: Set<HTTPField.Name>
    /// The header fields of requests to other origins.
    let foreignHeaders: HTTPFields
    /// Opens the files that tasks send.
    let uploads: (any UploadFiles)?
    /// What of a request is not shown.
    let secrets: SessionSecrets
    /// Tells its requests from those of others.
    let maker = RequestMaker()

    init(_ configuration: SessionConfiguration, uploads: (any UploadFiles)? = nil) {
        self.configuration = configuration
        self.uploads = uploads
        secrets = SessionSecrets(configuration.credentials, headers: configuration.headers)
        base = configuration.baseURL?.withTrailingSlashPath
        var foreign = HTTPFields()
        foreign[.userAgent] = configuration.userAgent
        foreignHeaders = foreign
        var own = configuration.headers
        if let userAgent = configuration.userAgent, !own.contains(.userAgent) {
            own[.userAgent] = userAgent
        }
        ownHeaders = own
        ownNames = Set(own.map(\.name))
    }

    func build(_ task: TaskRequest) throws(RequestProblems) -> PreparedRequest {
        var problems: [RequestProblem] = []
        let method = method(of: task, &problems)
        let url = url(of: task, method, &problems)
        let content = content(of: task, method, &problems)
        let isAtHome = url.map { !leavesOrigin($0) } ?? true
        var headers = headers(of: task, isAtHome: isAtHome, content, &problems)
        var body = content.body
        let isCoded = headers.fields.contains(.contentEncoding)
        if let compressed = compressed(body, isCoded: isCoded, &problems) {
            body = compressed.body
            headers.fields[.contentEncoding] = compressed.contentEncoding
        }
        let timeouts = timeouts(of: task, &problems)
        if let first = problems.first {
            throw RequestProblems(first, problems.dropFirst())
        }
        // Without a problem there is both; the problem of what is missing was noted where it was missed.
        guard let method, let url else {
            throw RequestProblems(RequestProblem([], "The request has no method or no URL", .internal))
        }
        let transfer = TransferRequest(
            method: method, url: url, headers: headers.fields, body: body, timeouts: timeouts,
            acceptsCompression: configuration.acceptsCompression && !headers.removesAcceptEncoding,
            mayResend: method.isIdempotent || headers.fields.contains(.idempotencyKey))
        return PreparedRequest(
            transfer: transfer,
            responseSerializer: task.responseSerializer ?? configuration.response.serializer,
            isAtHome: isAtHome && base != nil,
            // Without a base URL nothing is the session's own; a task that proves itself who asks is not contradicted.
            carriesCredentials: isAtHome && base != nil && !headers.provesWhoAsks, sessionFields: headers.sessionFields,
            foreignFields: foreignHeaders, carriesCookies: !headers.hasCookies,
            followsRedirects: task.followsRedirects, secrets: secrets, maker: maker)
    }

    // MARK: Method

    private func method(of task: TaskRequest, _ problems: inout [RequestProblem]) -> HTTPRequest.Method? {
        let method: HTTPRequest.Method
        if let name = task.method {
            // Tokens are ASCII: only of them is the upper case what one thinks.
            guard Token.isToken(name.utf8), let named = HTTPRequest.Method(rawValue: name.uppercased()) else {
                problems.append(
                    RequestProblem(["method"], "A method is one word of letters (RFC 9110 §9.1)", .methodNotAllowed))
                return nil
            }
            method = named
        } else {
            method = task.body == nil ? .get : .post
        }
        if !configuration.allowedMethods.contains(method) {
            let allowed = configuration.allowedMethods.map(\.rawValue).joined(separator: ", ")
            problems.append(
                RequestProblem(
                    ["method"], "The session does not allow \(method.rawValue), only \(allowed)", .methodNotAllowed))
        }
        return method
    }

    // MARK: Limits of time

    private func timeouts(of task: TaskRequest, _ problems: inout [RequestProblem]) -> TransferTimeouts {
        for (name, limit) in [
            ("connect", task.timeouts.connect), ("idle", task.timeouts.idle), ("total", task.timeouts.total),
        ] where limit.map({ $0 <= .zero }) ?? false {
            problems.append(RequestProblem(["timeouts", name], "A limit of time is longer than nothing"))
        }
        return TransferTimeouts(
            connect: task.timeouts.connect ?? configuration.timeouts.connect,
            idle: task.timeouts.idle ?? configuration.timeouts.idle,
            total: task.timeouts.total ?? configuration.timeouts.total)
    }
}
