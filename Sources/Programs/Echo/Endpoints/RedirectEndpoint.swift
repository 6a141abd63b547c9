import ErrandHTTPServer
import HTTPTypes

extension Endpoint {
    /// `/redirect/N`: redirects N times on the same server, finally to `/anything`.
    static let redirect = Endpoint(
        nil, "/redirect/{hops}",
        summary: "any method: 1 to 100 redirects, then /anything; ?status=307 for a status other than 302"
    ) { head, parameters throws(ProblemDetails) in
        let arguments = Arguments(head, parameters)
        let hops = try arguments.integer("hops", in: 1...100)
        let code = try arguments.integer("status", in: 300...399, default: 302)
        guard [301, 302, 303, 307, 308].contains(code) else {
            throw arguments.unusable("status", expected: "301, 302, 303, 307 or 308", found: String(code))
        }
        let query = head.target.query.map { "?\($0)" } ?? ""
        let location = hops == 1 ? "/anything" : "/redirect/\(hops - 1)\(query)"
        return .reply(
            to: head, ServerResponse(status: HTTPResponse.Status(code: Int(code)), headers: [.location: location]))
    }
}
