import HTTPGrammar
import HTTPTypes

extension RequestBuilder {
    /// The header fields of a request.
    struct Headers {
        var fields: HTTPFields
        /// The task wants no content codings to be offered.
        var removesAcceptEncoding = false
        /// Those that are the session's, not the task's: for its own origin alone.
        var sessionFields: Set<HTTPField.Name> = []
        /// The task has, or has removed, a field that the session's credentials would set.
        var provesWhoAsks = false
        /// The task has, or has removed, cookies of its own.
        var hasCookies = false
    }

    /// The session's header fields with the task's over them, and the content's type where nobody has given one.
    func headers(
        of task: TaskRequest, isAtHome: Bool, _ content: Content, _ problems: inout [RequestProblem]
    ) -> Headers {
        var headers = Headers(fields: isAtHome ? ownHeaders : foreignHeaders)
        var removesContentType = false
        var names: [HTTPField.Name] = []
        guard task.headers.count <= RequestHeaderRules.maxCount else {
            problems.append(
                RequestProblem(["headers"], "A task has at most \(RequestHeaderRules.maxCount) header fields"))
            return headers
        }
        for header in task.headers {
            switch Self.judge(header, after: names) {
            case .refused(let reason):
                problems.append(RequestProblem(["headers", header.name], reason))
            case .field(let field) where field.name == .contentType && content.isTypeFixed:
                problems.append(
                    RequestProblem(
                        ["headers", header.name], "The type of a multipart body tells its boundary, and is made with it"
                    ))
            case .field(let field):
                names.append(field.name)
                // By fields, not by value: setting a Cookie's value would cut it into several fields.
                headers.fields[fields: field.name] = [field]
            case .removal(let name):
                names.append(name)
                headers.fields[fields: name] = []
                removesContentType = removesContentType || name == .contentType
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
                        ["idempotency_key"], "An idempotency key that is sent on is of printable ASCII characters"))
            }
        }
        headers.hasCookies = names.contains(.cookie)
        headers.provesWhoAsks = secrets.hasField(among: names)
        if isAtHome { headers.sessionFields = names.isEmpty ? ownNames : ownNames.subtracting(names) }
        return headers
    }

    /// The text as a string of structured fields (RFC 9651 §3.3.3); `nil` when it cannot be one.
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
            return .refused("A header name is letters, digits and a few marks such as '-' (RFC 9110 §5.1)")
        }
        if let reason = RequestHeaderRules.reasonToRefuse(name) {
            return .refused(reason)
        }
        if names.contains(name) {
            return .refused("The header is named twice; names that differ only in case are the same")
        }
        guard let value = header.value else { return .removal(name) }
        if let reason = RequestHeaderRules.reasonToRefuse(value: value) {
            return .refused(reason)
        }
        return .field(HTTPField(name: name, value: String(value[...].trimmingOptionalWhitespace())))
    }
}
