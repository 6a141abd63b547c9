import HTTPServer
import HTTPTypes

/// One thing that the sample upstream does: where, and what the index says about it.
struct Endpoint: Sendable {
    /// Judges a request.
    ///
    /// An argument that makes no sense is thrown and becomes the answer.
    typealias Handler = @Sendable (RequestHead, RouteParameters) throws(ProblemDetails) -> Admission

    /// The methods; `nil` for all.
    let methods: [HTTPRequest.Method]?
    /// The path patterns, the one that the index shows first.
    let patterns: [String]
    /// What it does, a sentence.
    let summary: String
    /// What answers.
    let handler: Handler

    /// Creates an endpoint.
    init(
        _ methods: [HTTPRequest.Method]?, _ patterns: String..., summary: String, handler: @escaping Handler
    ) {
        self.methods = methods
        self.patterns = patterns
        self.summary = summary
        self.handler = handler
    }

    /// The endpoint as the router takes it.
    var routes: [Route] {
        let methods: [HTTPRequest.Method?] = methods ?? [nil]
        return patterns.flatMap { pattern in
            methods.map { Route($0, pattern, handler: admit) }
        }
    }

    private func admit(_ head: RequestHead, _ parameters: RouteParameters) -> Admission {
        do {
            return try handler(head, parameters)
        } catch {
            return .reply(to: head, error.response())
        }
    }
}

extension Admission {
    /// An answer that does not depend on the content, which is read first if there is any, so that the connection
    /// stays usable.
    static func reply(to head: RequestHead, _ response: ServerResponse) -> Admission {
        let announcesContent =
            head.headers.contains(.transferEncoding) || (head.headers[.contentLength].map { $0 != "0" } ?? false)
        return announcesContent ? .bodyless { response } : .answer(response)
    }
}
