import HTTPServer
import HTTPTypes
import JSON

extension Endpoint {
    /// The longest content that `/anything` tells back: it is held in memory.
    static let maxAnythingBytes = 16 << 20

    /// `/anything`: the request, told back.
    ///
    /// More content than 16 MiB is a 413.
    static let anything = Endpoint(
        nil, "/anything", "/anything/{rest...}",
        summary: "any method: the request as JSON, content of up to 16 MiB included"
    ) { head, _ in
        let tooLarge = ProblemDetails(RequestBodyError.tooLarge(limitBytes: maxAnythingBytes)).response()
        return .buffered(limitBytes: maxAnythingBytes, tooLarge: tooLarge) { content in
            .now(.json { RequestDescription(head, content: content).write(to: &$0) })
        }
    }

    /// `/headers`: the header fields of the request, told back.
    static let headers = Endpoint([.get], "/headers", summary: "the header fields of the request, in order") {
        head, _ in
        .reply(
            to: head,
            .json { writer in
                writer.beginObject()
                writer.member("headers")
                RequestDescription(head).writeHeaders(to: &writer)
                writer.endObject()
            })
    }
}
