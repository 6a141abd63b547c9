import ErrandSupport
import Foundation
import Testing

/// A running `errand serve`.
final class GatewayProcess: Sendable {
    /// The process.
    let process: ChildProcess
    /// The port on 127.0.0.1.
    let port: UInt16

    /// Starts a gateway with its files in `folder`, and waits until it listens.
    ///
    /// - Parameters:
    ///   - launcher: A command prefix that runs the gateway; none by default.
    ///   - environment: Variables in addition to ``Errand/environment``, or instead of them.
    init(
        _ settings: GatewaySettings, in folder: TemporaryFolder, launcher: [String] = [],
        environment: [String: String] = [:]
    ) async throws {
        let file = try folder.write(settings.yaml(folder), to: "config.yaml")
        let command = launcher + [Errand.path, "serve", "--config", file]
        // The control socket is in the folder too.
        let variables = Errand.environment.merging(["XDG_RUNTIME_DIR": folder.path]) { $1 }.merging(environment) { $1 }
        process = try ChildProcess(
            command[0], Array(command.dropFirst()), environment: variables,
            directory: folder.path)
        let line = try await process.logLine(containing: #""message":"Listening""#)
        struct Listening: Decodable { var url: String }
        let url = try JSONDecoder().decode(Listening.self, from: Data(line.utf8)).url
        port = try #require(URL(string: url)?.port.flatMap { UInt16(exactly: $0) })
    }

    /// The address to put in a URL.
    var origin: String { "http://127.0.0.1:\(port)" }

    /// Opens a connection to the gateway.
    func client() throws -> APIClient {
        try APIClient(port: port)
    }

    /// Stops the gateway regularly, and waits for its exit.
    func stop() async -> ChildProcess.Exit {
        process.kill(SIGTERM)
        return await process.exit()
    }

    /// Kills the gateway, and waits for its exit.
    func kill() async {
        process.kill(SIGKILL)
        #expect(await process.exit() == .signal(SIGKILL))
    }
}

/// Runs a gateway during `body`.
///
/// It must still be running afterwards, and stop regularly. Canceling the calling task kills it, which ends all waits for
/// its responses.
func withGateway<Value>(
    _ settings: GatewaySettings = GatewaySettings(), in folder: TemporaryFolder? = nil, launcher: [String] = [],
    environment: [String: String] = [:], _ body: (GatewayProcess) async throws -> Value
) async throws -> Value {
    let folder = try folder ?? TemporaryFolder()
    let gateway = try await GatewayProcess(settings, in: folder, launcher: launcher, environment: environment)
    do {
        let value = try await withTaskCancellationHandler {
            try await body(gateway)
        } onCancel: {
            gateway.process.kill(SIGKILL)
        }
        let exit = await gateway.stop()
        if exit != .status(0) {
            Issue.record("The gateway ended with \(exit): \(await gateway.process.errors.all())")
        }
        return value
    } catch {
        gateway.process.kill(SIGKILL)
        _ = await gateway.process.exit()
        throw error
    }
}

/// Runs an upstream with a script during `body`.
func withUpstream<Value>(
    _ script: @escaping ScriptedServer.Script, _ body: (ScriptedServer) async throws -> Value
) async throws -> Value {
    let server = try ScriptedServer(script)
    defer { server.stop() }
    return try await body(server)
}

/// Runs an upstream that answers every request, those whose path begins with `/held` when the gate is opened, for as long
/// as `body` takes.
func withUpstream<Value>(holding gate: Gate, _ body: (ScriptedServer) async throws -> Value) async throws -> Value {
    try await withUpstream(
        { connection in
            while true {
                let request = try connection.readRequest()
                if request.line.contains(" /held") { gate.wait() }
                try connection.respond("200 OK", ["Content-Type: application/json"], body: "{}")
            }
        }, body)
}
