import ErrandSupport

/// A response of a test server.
struct Answer: Sendable {
    var status = "200 OK"
    var fields = ["Content-Type: application/json"]
    var body = ""

    /// A status of 200 with JSON.
    static func json(_ body: String) -> Answer { Answer(body: body) }
}

extension ScriptedServer {
    /// Runs a server that answers every request on every connection, until the client closes it.
    convenience init(answering answer: @escaping @Sendable (ScriptedRequest) -> Answer) throws {
        try self.init { connection in
            while true {
                let answer = answer(try connection.readRequest())
                try connection.respond(answer.status, answer.fields, body: answer.body)
            }
        }
    }
}

extension ScriptedRequest {
    /// The content as text.
    var text: String { String(decoding: body, as: UTF8.self) }
}
