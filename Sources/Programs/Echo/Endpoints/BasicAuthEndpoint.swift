import ErrandHTTPServer
import ErrandJSON
import ErrandText
import HTTPTypes

extension Endpoint {
    /// `/basic-auth/U/P`: accepts this name and password (RFC 7617), and returns 401 otherwise.
    static let basicAuth = Endpoint(
        nil, "/basic-auth/{user}/{password}", summary: "any method: 200 with these Basic credentials, else 401"
    ) { head, parameters in
        let user = parameters["user"] ?? ""
        let expected = Base64.encode(Array("\(user):\(parameters["password"] ?? "")".utf8))
        let parts = (head.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", parts[1] == expected else {
            let challenge: HTTPFields = [.wwwAuthenticate: "Basic realm=\"echo\", charset=\"UTF-8\""]
            return .reply(to: head, ServerResponse(status: .unauthorized, headers: challenge))
        }
        return .reply(
            to: head,
            .json { writer in
                writer.beginObject()
                writer.member("authenticated", true)
                writer.member("user", user)
                writer.endObject()
            })
    }
}
