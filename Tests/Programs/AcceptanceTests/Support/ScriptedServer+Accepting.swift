import ErrandSupport

extension ScriptedServer {
    /// Answers every request with success: an empty JSON object.
    @Sendable static func accepting(_ connection: ScriptedConnection) throws {
        while true {
            try connection.readRequest()
            try connection.respond("200 OK", ["Content-Type: application/json"], body: "{}")
        }
    }
}
