import ErrandHTTPServer
import HTTPTypes

extension Endpoint {
    /// The maximum size of generated content, in bytes: 1 TiB.
    static let maxContentBytes: Int64 = 1 << 40

    /// `/bytes/N`: returns N bytes, always the same, with an exact `Content-Length`.
    static let bytes = Endpoint(
        [.get], "/bytes/{count}", summary: "this number of bytes, up to 1 TiB, always the same"
    ) { head, parameters throws(ProblemDetails) in
        let count = try Arguments(head, parameters).integer("count", in: 0...maxContentBytes)
        let headers: HTTPFields = [.contentType: "application/octet-stream"]
        let body = ResponseBody.stream(PatternContent.stream(0..<count))
        return .reply(to: head, ServerResponse(status: .ok, headers: headers, body: body))
    }
}
