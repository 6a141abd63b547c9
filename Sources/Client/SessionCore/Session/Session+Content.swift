package import ErrandTransfer
import HTTPTypes

extension Session {
    /// Separates a request from its content as this session sends it, but without a limit on the rate of forms.
    ///
    /// - Parameter request: A request with content.
    /// - Returns: The content, and the request without it, whose header fields describe the content. With the content as
    ///   its ``TaskBody/source(_:)`` it is the same request.
    /// - Throws: All problems of the request as one error.
    package func separate(
        _ request: TaskRequest
    ) throws(SessionError) -> (content: any BodySource, request: TaskRequest) {
        let sent: TransferRequest
        do throws(RequestProblems) {
            sent = try prepareUnthrottled(request).transfer
        } catch {
            throw error.error
        }
        let source: any BodySource
        switch sent.body {
        case .none: throw SessionError(.unserializableParameters, "The request has no content")
        case .bytes(let bytes): source = MemorySource(bytes)
        case .source(let content): source = content
        }
        var rest = request
        rest.method = sent.method.rawValue
        rest.parameters = nil
        rest.body = nil
        rest.requestSerializer = nil
        rest.headers.removeAll { HTTPField.Name($0.name) == .contentType }
        // Without a value the content of a source would get a type of its own.
        rest.headers.append(TaskHeader("Content-Type", sent.headers[.contentType]))
        if let coding = sent.headers[.contentEncoding] {
            rest.headers.removeAll { HTTPField.Name($0.name) == .contentEncoding }
            rest.headers.append(TaskHeader("Content-Encoding", coding))
        }
        return (source, rest)
    }
}
