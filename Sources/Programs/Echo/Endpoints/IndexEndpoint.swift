import ErrandHTTPServer
import ErrandJSON
import HTTPTypes

extension Endpoint {
    /// `/`: returns the list of endpoints as JSON.
    static func index(of endpoints: [Endpoint]) -> Endpoint {
        let index = ServerResponse.json { writer in
            writer.beginObject()
            for endpoint in endpoints {
                writer.member(endpoint.patterns[0], endpoint.summary)
            }
            writer.endObject()
        }
        return Endpoint([.get], "/", summary: "this list") { head, _ in .reply(to: head, index) }
    }
}
