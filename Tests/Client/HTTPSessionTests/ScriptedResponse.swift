import ErrandSupport
import HTTPSession

extension SessionConfiguration {
    /// Changes the limits of time so that no machine is slow enough to reach them.
    mutating func makePatient() {
        timeouts = TransferTimeouts(connect: .seconds(600), idle: .seconds(600), total: .seconds(3600))
        suspendedKeep = nil
    }
}

extension Session {
    /// Creates a session whose limits of time no machine is slow enough to reach, unless a test sets its own.
    static func patient(
        _ baseURL: String, uploads: (any UploadFiles)? = nil,
        configure: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> Session {
        try Session(baseURL: baseURL, uploads: uploads) { configuration in
            configuration.makePatient()
            configure(&configuration)
        }
    }
}

/// A response of a test server.
struct ScriptedResponse: Sendable {
    var status = "200 OK"
    var fields = ["Content-Type: application/json"]
    var body = ""

    /// A status of 200 with JSON.
    static func json(_ body: String) -> ScriptedResponse { ScriptedResponse(body: body) }
}

extension ScriptedServer {
    /// Runs a server that answers every request on every connection, until the client closes it.
    ///
    /// - Parameter keepsPort: True to keep the port reserved after ``stop()``.
    convenience init(
        keepsPort: Bool = false, answering response: @escaping @Sendable (ScriptedRequest) -> ScriptedResponse
    ) throws {
        try self.init(keepsPort: keepsPort) { (connection: ScriptedConnection) in
            while true {
                let response = response(try connection.readRequest())
                try connection.respond(response.status, response.fields, body: response.body)
            }
        }
    }

    /// Runs a server that reads a request on each connection, and waits until the client closes it.
    static func silent() throws -> ScriptedServer {
        try ScriptedServer { connection in
            try connection.readRequest()
            connection.waitForClose()
        }
    }
}

extension ScriptedRequest {
    /// The content as text.
    var text: String { String(decoding: body, as: UTF8.self) }
}
