import HTTPServer
import HTTPTypes

extension Endpoint {
    /// The longest content that is made, in bytes: 1 TiB.
    static let maxContentBytes: Int64 = 1 << 40

    /// `/bytes/N`: so many bytes, the same ones every time, with their exact `Content-Length`.
    static let bytes = Endpoint(
        [.get], "/bytes/{count}", summary: "so many bytes, up to 1 TiB, the same ones every time"
    ) { head, parameters throws(ProblemDetails) in
        let count = try Arguments(head, parameters).integer("count", in: 0...maxContentBytes)
        let headers: HTTPFields = [.contentType: "application/octet-stream"]
        let body = ResponseBody.stream(PatternContent.stream(0..<count))
        return .reply(to: head, ServerResponse(status: .ok, headers: headers, body: body))
    }
}
