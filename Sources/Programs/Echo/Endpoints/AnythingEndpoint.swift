import ErrandHTTPServer
import ErrandJSON
import HTTPTypes

extension Endpoint {
    /// The maximum size of content for `/anything`, which buffers it in memory.
    static let maxAnythingBytes = 16 << 20

    /// `/anything`: returns the request as JSON.
    ///
    /// Content above 16 MiB gets a 413 response.
    static let anything = Endpoint(
        nil, "/anything", "/anything/{rest...}",
        summary: "any method: the request as JSON, content of up to 16 MiB included"
    ) { head, _ in
        .buffered(atMost: maxAnythingBytes) { content in
            .immediate(.json { RequestDescription(head, content: content).write(to: &$0) })
        }
    }

    /// `/headers`: returns the header fields of the request.
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
