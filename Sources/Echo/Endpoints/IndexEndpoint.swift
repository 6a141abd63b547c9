import HTTPServer
import HTTPTypes
import JSON

extension Endpoint {
    /// `/`: what there is, as JSON.
    static func index(of endpoints: [Endpoint]) -> Endpoint {
        let index = ServerResponse.json { writer in
            writer.beginObject()
            for endpoint in endpoints {
                writer.member(endpoint.patterns[0])
                writer.string(endpoint.summary)
            }
            writer.endObject()
        }
        return Endpoint([.get], "/", summary: "this list") { head, _ in .reply(to: head, index) }
    }
}
