import ErrandHTTPServer
import ErrandJSON
import HTTPTypes

/// An endpoint of the sample upstream, with its entry in the index.
struct Endpoint: Sendable {
    /// Handles the head of a request.
    ///
    /// An invalid argument is thrown as the response.
    typealias Handler = @Sendable (RequestHead, RouteParameters) throws(ProblemDetails) -> RequestDisposition

    /// The methods; `nil` for all.
    let methods: [HTTPRequest.Method]?
    /// The path patterns; the index shows the first.
    let patterns: [String]
    /// The summary in the index, one sentence.
    let summary: String
    /// The handler of requests.
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

    /// The routes of the endpoint.
    var routes: [Route] {
        let methods: [HTTPRequest.Method?] = methods ?? [nil]
        return patterns.flatMap { pattern in
            methods.map { Route($0, pattern, handler: admit) }
        }
    }

    private func admit(_ head: RequestHead, _ parameters: RouteParameters) -> RequestDisposition {
        do {
            return try handler(head, parameters)
        } catch {
            return .reply(to: head, error.response())
        }
    }
}

extension RequestDisposition {
    /// Returns a response that does not depend on the content, but reads the content, so that the connection can be
    /// reused.
    static func reply(to head: RequestHead, _ response: ServerResponse) -> RequestDisposition {
        let announcesContent =
            head.headers.contains(.transferEncoding) || (head.headers[.contentLength].map { $0 != "0" } ?? false)
        return announcesContent ? .deferred { response } : .immediate(response)
    }
}

extension ServerResponse {
    /// Creates a response with a JSON document.
    static func json(
        status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], _ write: (inout JSONWriter) -> Void
    ) -> ServerResponse {
        var writer = JSONWriter()
        write(&writer)
        var headers = headers
        headers[.contentType] = "application/json"
        return ServerResponse(status: status, headers: headers, body: .bytes(writer.bytes))
    }
}
