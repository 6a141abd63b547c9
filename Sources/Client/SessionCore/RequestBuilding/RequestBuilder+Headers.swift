import ErrandCompression
import ErrandHTTPGrammar
import HTTPTypes

extension RequestBuilder {
    /// The header fields of a request.
    struct Headers {
        var fields: HTTPFields
        /// True if the task asks to offer no content codings.
        var removesAcceptEncoding = false
        /// True if the task asks to send no `Accept`.
        var removesAccept = false
        /// True if the task asks to send no `traceparent`.
        var removesTrace = false
        /// True if the task asks to send its content without a coding.
        var removesContentEncoding = false
        /// True if the task asks to send no `Content-Digest`.
        var removesContentDigest = false
        /// The names of the session's fields, which are only for its own origin.
        var sessionFields: Set<HTTPField.Name> = []
        /// True if the task sets or removes a field that the session's credentials would set.
        var setsCredentials = false
        /// True if the task sets or removes cookies.
        var hasCookies = false
    }

    /// Returns the session's header fields, replaced by the task's, and with the content's type unless one is set.
    func headers(
        of task: TaskRequest, isOwnOrigin: Bool, content: Content, _ problems: inout [RequestProblem]
    ) -> Headers {
        var headers = Headers(fields: isOwnOrigin ? ownHeaders : foreignHeaders)
        var removesContentType = false
        var names: [HTTPField.Name] = []
        guard task.headers.count <= RequestHeaderRules.maxCount else {
            problems.append(
                RequestProblem(
                    at: ["headers"], detail: "A task can have at most \(RequestHeaderRules.maxCount) header fields"))
            return headers
        }
        for header in task.headers {
            switch Self.judge(header, after: names) {
            case .refused(let reason):
                problems.append(RequestProblem(at: ["headers", header.name], detail: reason))
            case .field(let field) where field.name == .contentType && content.isTypeFixed:
                problems.append(
                    RequestProblem(
                        at: ["headers", header.name],
                        detail: "The Content-Type of a multipart body is set with its boundary"))
            case .field(let field):
                names.append(field.name)
                // Set fields, not values: setting the value of Cookie would split it into several fields.
                headers.fields[fields: field.name] = [field]
            case .removal(let name):
                names.append(name)
                headers.fields[fields: name] = []
                removesContentType = removesContentType || name == .contentType
                headers.removesAccept = headers.removesAccept || name == .accept
                headers.removesTrace = headers.removesTrace || name == .traceParent
                headers.removesContentEncoding = headers.removesContentEncoding || name == .contentEncoding
                headers.removesContentDigest = headers.removesContentDigest || name == .contentDigest
                headers.removesAcceptEncoding = headers.removesAcceptEncoding || name == .acceptEncoding
            }
        }
        if let type = content.type, content.isTypeFixed || !removesContentType && !headers.fields.contains(.contentType)
        {
            headers.fields[.contentType] = type
        }
        if configuration.forwardsIdempotencyKey, let key = task.idempotencyKey, !names.contains(.idempotencyKey) {
            if let value = Self.structuredString(key) {
                headers.fields[.idempotencyKey] = value
            } else {
                problems.append(
                    RequestProblem(
                        at: ["idempotency_key"],
                        detail: "A forwarded idempotency key may contain only printable ASCII characters"))
            }
        }
        headers.hasCookies = names.contains(.cookie)
        headers.setsCredentials = secrets.hasField(among: names)
        if isOwnOrigin { headers.sessionFields = names.isEmpty ? ownNames : ownNames.subtracting(names) }
        return headers
    }

    /// Returns true if the transport decodes the response to a request with these fields, and offers the codings that
    /// it can decode unless they offer some.
    ///
    /// A part of encoded content lacks its beginning or end and cannot be decoded. A request that offers another coding
    /// gets the content as it is.
    func acceptsCompression(with fields: HTTPFields) -> Bool {
        configuration.acceptsCompression && !fields.contains(.range)
            && fields[values: .acceptEncoding].allSatisfy { ContentDecoder.decodesAll(offeredBy: $0) }
    }

    /// Returns the text as a string of structured fields (RFC 9651 §3.3.3); `nil` if it contains other characters.
    private static func structuredString(_ text: String) -> String? {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? ParameterValue.quoted(text) : nil
    }

    private enum Judgement {
        case field(HTTPField)
        case removal(HTTPField.Name)
        case refused(String)
    }

    private static func judge(_ header: TaskHeader, after names: [HTTPField.Name]) -> Judgement {
        guard let name = HTTPField.Name(header.name) else {
            return .refused("The header name is not a token; use letters, digits and '-' (RFC 9110 §5.1)")
        }
        if let reason = RequestHeaderRules.reasonToRefuse(name) {
            return .refused(reason)
        }
        if names.contains(name) {
            return .refused("Duplicate header name; names are case-insensitive")
        }
        guard let value = header.value else { return .removal(name) }
        if let reason = RequestHeaderRules.reasonToRefuse(value: value) {
            return .refused(reason)
        }
        return .field(HTTPField(name: name, value: String(value[...].trimmingOptionalWhitespace())))
    }
}
