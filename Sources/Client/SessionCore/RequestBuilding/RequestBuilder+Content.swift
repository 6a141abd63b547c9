import ErrandCryptography
import ErrandJSON
import ErrandRequestSerialization
import ErrandText
import ErrandTransfer
import HTTPTypes

extension RequestBuilder {
    /// The content of a request, with its default content type.
    struct Content {
        var body: TransferBody = .none
        var type: String?
        /// True if the type cannot be replaced, because it states the boundary of the parts.
        var isTypeFixed = false
    }

    /// Returns the content of a task's body or parameters.
    func content(
        of task: TaskRequest, method: HTTPRequest.Method?, _ problems: inout [RequestProblem]
    ) -> Content {
        guard let body = task.body else {
            return contentOfParameters(of: task, method: method, &problems)
        }
        if task.parameters != nil {
            problems.append(RequestProblem(at: ["body"], detail: "A task cannot have both parameters and a body"))
        }
        if let method, let reason = RequestMethodRules.reasonToRefuseContent(with: method) {
            problems.append(RequestProblem(at: ["body"], detail: reason))
        }
        switch body {
        case .text(let text):
            return Content(body: .bytes(Array(text.utf8)), type: "text/plain; charset=utf-8")
        case .bytes(let bytes):
            return Content(body: .bytes(bytes), type: Self.anyType)
        case .json(let bytes):
            do throws(JSONSyntaxError) {
                _ = try JSONValidator.validate(bytes)
            } catch {
                problems.append(RequestProblem(at: ["body", "json"], detail: error.description))
            }
            return Content(body: .bytes(bytes), type: "application/json")
        case .file(let name):
            guard let source = source(of: name, at: ["body", "file"], &problems) else { return Content() }
            return Content(body: .source(source), type: Self.anyType)
        case .source(let source):
            return Content(body: .source(source), type: Self.anyType)
        case .parts(let parts):
            return content(of: parts, &problems)
        }
    }

    private static let anyType = "application/octet-stream"

    // MARK: Parameters

    private func contentOfParameters(
        of task: TaskRequest, method: HTTPRequest.Method?, _ problems: inout [RequestProblem]
    ) -> Content {
        guard let method, !configuration.request.methodsWithParametersInURL.contains(method) else { return Content() }
        // Such content has no defined semantics (RFC 9110 §9.3.1).
        if method == .get || method == .head {
            if task.parameters != nil {
                let reason = "The parameters of a GET or HEAD request cannot be sent in a body"
                problems.append(RequestProblem(at: ["parameters"], detail: reason))
            }
            return Content()
        }
        // An empty form is sent with methods that expect content, and no content with the others.
        if task.parameters == nil, method == .options || method == .delete { return Content() }
        do throws(RequestSerializationError) {
            let serialized = try requestSerializer(of: task).serialize(task.parameters)
            // Without parts it is an empty form without a boundary.
            let hasBoundary = serialized.contentType?.hasPrefix("multipart/") ?? false
            return Content(body: serialized.body, type: serialized.contentType, isTypeFixed: hasBoundary)
        } catch {
            problems.append(
                RequestProblem(
                    at: ["parameters"] + error.pointer, detail: error.message, cause: error.underlying))
            return Content()
        }
    }

    /// Returns the serializer of a task's parameters: its own, the kind that it selects, the session's own, or the kind
    /// that the session selects.
    private func requestSerializer(of task: TaskRequest) -> any RequestSerializer {
        if let serializer = task.hooks.requestSerializer { return serializer }
        if task.requestSerializer == nil, let serializer = hooks.requestSerializer { return serializer }
        let kind = task.requestSerializer ?? configuration.request.serializer
        return kind.serializer(configuration.request.options)
    }

    // MARK: Parts

    private func content(of parts: [TaskPart], _ problems: inout [RequestProblem]) -> Content {
        guard !parts.isEmpty else {
            problems.append(RequestProblem(at: ["body", "parts"], detail: "A form needs at least one part"))
            return Content()
        }
        let made = parts.enumerated().compactMap { index, part in
            self.part(part, at: ["body", "parts", "\(index)"], &problems)
        }
        // The difference has been recorded as a problem.
        guard made.count == parts.count else { return Content() }
        do throws(RequestSerializationError) {
            let content = try MultipartForm(parts: made).content(throttle: configuration.request.options.throttle)
            return Content(body: content.body, type: content.contentType, isTypeFixed: true)
        } catch {
            problems.append(RequestProblem(at: ["body", "parts"] + error.pointer, detail: error.message))
            return Content()
        }
    }

    private func part(
        _ part: TaskPart, at pointer: [String], _ problems: inout [RequestProblem]
    ) -> MultipartPart? {
        var headers: [MultipartPart.Header] = []
        for header in part.headers {
            guard let value = header.value else {
                problems.append(
                    RequestProblem(
                        at: pointer + ["headers", header.name], detail: "A header of a part needs a value, not null"))
                return nil
            }
            headers.append(MultipartPart.Header(name: header.name, value: value))
        }
        let content: MultipartPart.Content
        switch part.content {
        case .text(let text): content = .bytes(Array(text.utf8))
        case .bytes(let bytes): content = .bytes(bytes)
        case .source(let source): content = .source(source)
        case .file(let name):
            guard let source = source(of: name, at: pointer + ["file"], &problems) else { return nil }
            return made(at: pointer, &problems) { () throws(RequestSerializationError) in
                try .file(
                    name: part.name, path: name, filename: part.filename, contentType: part.contentType,
                    headers: headers, source: source)
            }
        }
        return made(at: pointer, &problems) { () throws(RequestSerializationError) in
            try MultipartPart(
                name: part.name, filename: part.filename, contentType: part.contentType, headers: headers,
                content: content)
        }
    }

    private func made(
        at pointer: [String], _ problems: inout [RequestProblem],
        make: () throws(RequestSerializationError) -> MultipartPart
    ) -> MultipartPart? {
        do throws(RequestSerializationError) {
            return try make()
        } catch {
            problems.append(RequestProblem(at: pointer + error.pointer, detail: error.message))
            return nil
        }
    }

    // MARK: Files

    private func source(
        of name: String, at pointer: [String], _ problems: inout [RequestProblem]
    ) -> (any BodySource)? {
        guard let uploads else {
            problems.append(
                RequestProblem(at: pointer, detail: "The session is not configured to send files", code: .badFile))
            return nil
        }
        do throws(SessionError) {
            return try uploads.source(of: name)
        } catch {
            problems.append(RequestProblem(at: pointer, detail: error.message, code: error.code))
            return nil
        }
    }

    // MARK: Compression

    /// Returns the content as it is sent, and its content coding if it was compressed.
    func compressed(
        _ body: TransferBody, isCoded: Bool, _ problems: inout [RequestProblem]
    ) -> RequestCompression.Result? {
        do throws(RequestSerializationError) {
            return try configuration.request.compression.compress(body, isCoded: isCoded)
        } catch {
            problems.append(RequestProblem(at: ["body"], detail: error.message))
            return nil
        }
    }

    // MARK: Expectation

    /// Returns true if content is sent only when the server has agreed to receive it.
    func expectsContinue(before body: TransferBody) -> Bool {
        guard let minBytes = configuration.request.expectContinueBytes else { return false }
        return switch body {
        case .none: false
        // What is sent along with the head does not wait.
        case .bytes(let bytes): Int64(bytes.count) >= minBytes && bytes.count > TransferBody.maxInlineBytes
        case .source(let source): source.length ?? .max >= minBytes
        }
    }

    // MARK: Digest

    /// Replaces the digest of content that a hook has replaced; removes it if that of the new content is not known.
    ///
    /// - Returns: As ``addDigest(of:to:)``.
    func renewDigest(of request: inout TransferRequest) -> Bool {
        request.headers[.contentDigest] = nil
        return addDigest(of: request.body, to: &request.headers)
    }

    /// Adds the digest of content as it is sent, if the session has it sent and it is known (RFC 9530 §2).
    ///
    /// - Returns: True if the digest is still to be added, because the content has to be read for it.
    func addDigest(of body: TransferBody, to fields: inout HTTPFields) -> Bool {
        guard configuration.request.contentDigest == .sha256, !fields.contains(.contentDigest) else { return false }
        let digest: [UInt8]
        switch body {
        case .none:
            return false
        case .bytes(let bytes):
            digest = SHA256.hash(bytes)
        case .source(let source):
            guard let known = source.sha256 else { return source.isRepeatable }
            digest = known
        }
        fields[.contentDigest] = Self.field(ofSHA256: digest)
        return false
    }

    /// Returns the value of `Content-Digest` with a digest.
    static func field(ofSHA256 digest: [UInt8]) -> String { "sha-256=:\(Base64.encode(digest)):" }
}
