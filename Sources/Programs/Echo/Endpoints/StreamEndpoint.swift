import ErrandHTTPServer
import ErrandJSON
import HTTPTypes

extension Endpoint {
    private static let maxLines: Int64 = 1_000_000

    /// `/stream/N`: returns N JSON lines, each as a part of its own, without `Content-Length`.
    static let stream = Endpoint(
        [.get], "/stream/{lines}", summary: "this number of JSON lines, up to 1000000, without Content-Length"
    ) { head, parameters throws(ProblemDetails) in
        let lines = try Arguments(head, parameters).integer("lines", in: 0...maxLines)
        let cursor = Cursor(0..<lines)
        let body = ResponseStream {
            cursor.take(upTo: 1).map { line(at: $0.lowerBound, of: lines) }
        }
        let headers: HTTPFields = [.contentType: "application/x-ndjson"]
        return .reply(to: head, ServerResponse(status: .ok, headers: headers, body: .stream(body)))
    }

    private static func line(at index: Int64, of lines: Int64) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("line", index)
        writer.member("lines", lines)
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}
