import ErrandLocking
import ErrandSupport
import Foundation

/// An upstream that counts its requests, and receives the messages of callbacks.
///
/// | path | response |
/// | --- | --- |
/// | `/stuck/…` | none |
/// | `/flaky/…` | 503 the first time, then 200 |
/// | any other | 200 |
final class CrashUpstream: Sendable {
    private let server: ScriptedServer
    private let tally: Tally

    private final class Tally: Sendable {
        struct State {
            var requests: [String: Int] = [:]
            var messages: [String: Set<String>] = [:]
        }

        let state = Mutex(State())

        /// - Returns: The number of requests for the path, including this one.
        func count(_ path: String) -> Int {
            state.withLock { state in
                state.requests[path, default: 0] += 1
                return state.requests[path] ?? 0
            }
        }

        func note(_ message: String, of task: String) {
            state.withLock { _ = $0.messages[task, default: []].insert(message) }
        }
    }

    private struct Message: Decodable {
        var data: Task

        struct Task: Decodable { var id: String }
    }

    init() throws {
        let tally = Tally()
        self.tally = tally
        server = try ScriptedServer { connection in
            while true {
                let request = try connection.readRequest()
                let path = request.line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                let count = tally.count(path)
                if path.hasPrefix("/stuck/") { return connection.waitForClose() }
                if path == "/done" {
                    let message = try JSONDecoder().decode(Message.self, from: Data(request.body))
                    tally.note(request["webhook-id"] ?? "", of: message.data.id)
                }
                let isFailing = path.hasPrefix("/flaky/") && count == 1
                try connection.respond(
                    isFailing ? "503 Service Unavailable" : "200 OK", ["Content-Type: application/json"], body: "{}")
            }
        }
    }

    /// The origin for URLs.
    var origin: String { server.origin }

    /// The number of requests for each path.
    var requests: [String: Int] { tally.state.withLock { $0.requests } }

    /// The identifiers of the messages received for each task.
    var messages: [String: Set<String>] { tally.state.withLock { $0.messages } }

    /// Stops the upstream.
    func stop() { server.stop() }
}
