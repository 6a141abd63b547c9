import ErrandHTTPServer
import HTTPTypes

extension Endpoint {
    /// `/range/N`: returns the bytes of `/bytes/N` with an entity tag, in whole or in part (RFC 9110 §13, §14).
    static let range = Endpoint(
        [.get], "/range/{count}", summary: "the bytes of /bytes with ETag, Range, If-Range and If-None-Match"
    ) { head, parameters throws(ProblemDetails) in
        let size = try Arguments(head, parameters).integer("count", in: 0...maxContentBytes)
        return .reply(to: head, response(to: head, size: size))
    }

    private static func response(to head: RequestHead, size: Int64) -> ServerResponse {
        let tag = EntityTag(opaque: "range-\(size)")
        var headers: HTTPFields = [.eTag: tag.description, .acceptRanges: "bytes"]
        if let value = head.headers[.ifNoneMatch], let condition = EntityTagCondition(value),
            condition.matchesWeakly(tag)
        {
            return ServerResponse(status: .notModified, headers: headers)
        }
        // Other methods than GET ignore Range (RFC 9110 §14.2).
        let asked = head.method == .get ? head.headers[.range] : nil
        switch RangeSelection(range: asked, ifRange: head.headers[.ifRange], entityTag: tag, size: size) {
        case .whole:
            headers[.contentType] = "application/octet-stream"
            return ServerResponse(status: .ok, headers: headers, body: .stream(PatternContent.stream(0..<size)))
        case .part(let part):
            headers[.contentType] = "application/octet-stream"
            headers[.contentRange] = part.contentRange(size: size)
            let positions = part.offset..<part.offset + part.length
            let body = ResponseBody.stream(PatternContent.stream(positions))
            return ServerResponse(status: .partialContent, headers: headers, body: body)
        case .unsatisfiable:
            headers[.contentRange] = RangeSelection.unsatisfiedContentRange(size: size)
            return ServerResponse(status: .rangeNotSatisfiable, headers: headers)
        }
    }
}
