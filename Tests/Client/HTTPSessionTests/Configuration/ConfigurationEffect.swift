import ErrandSupport
import HTTPSession
import Testing

/// A change of one property of a session's configuration, with requests that show its effect.
struct ConfigurationEffect: Sendable, CustomTestStringConvertible {
    /// Changes a configuration.
    typealias Change = @Sendable (inout SessionConfiguration) throws -> Void

    /// The path of the property.
    let property: String
    /// The requests, one after another.
    let requests: [TaskRequest]
    /// The settings that the session has before the change, too.
    let setUp: Change
    let change: Change

    init(
        _ property: String, _ requests: TaskRequest..., setUp: @escaping Change = { _ in }, change: @escaping Change
    ) {
        self.property = property
        self.requests = requests
        self.setUp = setUp
        self.change = change
    }

    var testDescription: String { property }

    /// Returns everything that the upstream and the program see of the requests.
    ///
    /// - Parameter isChanged: False to leave the property at its default.
    func observation(isChanged: Bool) async throws -> String {
        let server = try ScriptedServer(answering: Self.response)
        defer { server.stop() }
        var configuration = SessionConfiguration(name: "api", baseURL: try HTTPURL(server.origin + "/v1/"))
        configuration.makePatient()
        try setUp(&configuration)
        if isChanged { try change(&configuration) }
        let session = try Session(configuration)
        var observed: [String] = []
        for request in requests { observed.append(await Self.told(request, session)) }
        for request in server.requests.events { observed += [request.head, request.text] }
        return observed.joined(separator: "\n").replacing("\(server.port)", with: "PORT")
    }

    /// Returns what the program sees of a request.
    private static func told(_ request: TaskRequest, _ session: Session) async -> String {
        do throws(RequestProblems) {
            let outcome = await session.run(try session.prepare(request), sink: MemorySink())
            let json = outcome.response?.json.map { String(decoding: $0, as: UTF8.self) }
            let status = outcome.response?.head.status
            let size = outcome.response?.body?.size
            return "\(outcome.error?.code.rawValue ?? "success"): \(status ?? 0), \(json ?? "no JSON"), \(size ?? 0)"
        } catch {
            return "refused: \(error)"
        }
    }

    /// The upstream.
    private static func response(to request: ScriptedRequest) -> ScriptedResponse {
        let target = request.line.split(separator: " ").dropFirst().first ?? ""
        let port = request["Host"]?.split(separator: ":").last ?? ""
        return switch target {
        case "/v1/missing": ScriptedResponse(status: "404 Not Found", body: #"{"error":"missing"}"#)
        case "/v1/text": ScriptedResponse(fields: ["Content-Type: text/plain"], body: "text")
        case "/v1/null": .json(#"{"a":null,"b":1}"#)
        case "/v1/nested": .json("[[[[1]]]]")
        case "/v1/fragment": .json("1")
        case "/v1/cookie": ScriptedResponse(fields: ["Content-Type: application/json", "Set-Cookie: a=1"], body: "[]")
        case "/v1/moved": ScriptedResponse(status: "301 Moved Permanently", fields: ["Location: /v1/list"])
        case "/v1/loop": ScriptedResponse(status: "302 Found", fields: ["Location: /v1/loop"])
        case "/v1/neighbour":
            // Another private address, which the base URL does not have.
            ScriptedResponse(status: "302 Found", fields: ["Location: http://127.0.0.2:\(port)/v1/list"])
        default: .json("[]")
        }
    }
}
