import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// Runs `body` with a session of a new engine, which is shut down afterwards.
///
/// No machine is slow enough for its connections to be closed because the session has nothing to do.
func withSession<Result>(
    _ options: ConnectionOptions = ConnectionOptions(), _ body: (CurlSession) async throws -> Result
) async throws -> Result {
    let engine = try CurlEngine(maxIdleTime: .seconds(600))
    do {
        let result = try await body(engine.session(options))
        await engine.shutdown()
        return result
    } catch {
        await engine.shutdown()
        throw error
    }
}

/// Runs `body` with a scripted server and a session for requests to it.
func withServer<Result>(
    _ script: @escaping ScriptedServer.Script, options: ConnectionOptions = ConnectionOptions(),
    _ body: (ScriptedServer, CurlSession) async throws -> Result
) async throws -> Result {
    let server = try ScriptedServer(script)
    defer { server.stop() }
    return try await withSession(options) { try await body(server, $0) }
}

/// A script that responds to every request of a connection with `200 OK` and `hello`.
let greeting: ScriptedServer.Script = { connection in
    while true {
        try connection.readRequest()
        try connection.respond(body: "hello")
    }
}

extension ScriptedServer {
    /// Returns a request for a path of this server.
    func request(
        _ method: HTTPRequest.Method = .get, _ path: String = "/", headers: HTTPFields = [:],
        body: TransferBody = .none, timeouts: TransferTimeouts = TransferTimeouts(), mayResend: Bool = false
    ) throws -> TransferRequest {
        TransferRequest(
            method: method, url: try HTTPURL(origin + path), headers: headers, body: body, timeouts: timeouts,
            acceptsCompression: false, mayResend: mayResend)
    }
}

extension CurlSession {
    /// Performs a request and collects its response.
    func perform(_ request: TransferRequest) async -> (outcome: TransferOutcome, text: String) {
        let receiver = RecordingReceiver()
        let outcome = await perform(request, receiver: receiver)
        return (outcome, receiver.text)
    }

    /// Performs other transfers, so that the engine has handled all pending events.
    func exchangeGreetings(_ count: Int = 20) async throws {
        try await withServer(greeting) { server, own in
            for _ in 0..<count {
                let request = try server.request()
                for session in [self, own] {
                    #expect(await session.perform(request).outcome.error == nil)
                }
            }
        }
    }

    /// Begins a transfer in a task of its own.
    ///
    /// Its end also ends the waits for the first head and the first piece, which a failed transfer may not receive.
    func begin(_ request: TransferRequest, receiver: RecordingReceiver) -> Task<TransferOutcome, Never> {
        Task {
            let outcome = await perform(request, receiver: receiver)
            receiver.heads.append(outcome.head ?? ResponseHead(status: 0))
            receiver.pieces.append(0)
            return outcome
        }
    }
}

extension TransferTimeouts {
    /// Longer than a transfer may take, and shorter than a test may, so that a transfer that hangs fails.
    static let patient = TransferTimeouts(idle: .seconds(400), total: .seconds(400))
}
