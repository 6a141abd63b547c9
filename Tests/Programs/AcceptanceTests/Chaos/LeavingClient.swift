import ErrandSupport
import Testing

/// Clients that disconnect at random points of each request: while sending, waiting, or reading.
enum LeavingClient {
    /// The session of their tasks, which they also suspend, purge and invalidate: no other client relies on it.
    static let session = "left"

    /// Makes requests, one after another on 8 threads, and disconnects during each.
    static func run(_ count: Int, port: UInt16) async {
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                let done = Signal<Void>()
                BlockingThread.run {
                    var random = SplitMix64(seed: UInt64(thread))
                    for _ in 0..<(count / 8) { leave(port, &random) }
                    done.send()
                }
                group.addTask { await done.wait() }
            }
        }
    }

    /// Ends the tasks that no client is interested in any more.
    static func cancelTasks(_ client: APIClient) async throws {
        // Their session may still be suspended.
        let states = #"["scheduled","queued","running","waiting","suspended"]"#
        let outcome = try await client.post(
            "/v1/tasks:cancel", json: #"{"session":["\#(session)"],"state":\#(states)}"#)
        #expect(outcome.status == 200, "\(outcome.text)")
    }

    private static func leave(_ port: UInt16, _ random: inout SplitMix64) {
        // A gateway without descriptors, or that is not running, is a different fault.
        guard let connection = try? BlockingConnection(port: port, timeoutSeconds: 1),
            let call = LeavingCall.all.randomElement(using: &random)
        else { return }
        var id = ""
        if let task = call.task {
            guard let created = create(task, on: connection) else { return }
            id = created
        }
        let bytes = Array(call.request(task: id).utf8)
        let sent = Bool.random(using: &random) ? bytes.count : Int.random(in: 0...bytes.count, using: &random)
        _ = connection.send(bytes[..<sent])
        if Bool.random(using: &random) { _ = try? connection.receive(atMost: Int.random(in: 1...4096, using: &random)) }
        if Bool.random(using: &random) { connection.reset() }
    }

    /// Creates a task that the next request of the connection is about.
    ///
    /// - Returns: Its identifier; `nil` if the gateway refuses it or does not respond in time.
    private static func create(_ task: LeavingCall.Task, on connection: borrowing BlockingConnection) -> String? {
        guard connection.send(Array(task.creation.utf8)[...]) else { return nil }
        var text = ""
        while text.count < 16 << 10, let bytes = try? connection.receive(atMost: 4096), !bytes.isEmpty {
            text += String(decoding: bytes, as: UTF8.self)
            if let match = text.firstMatch(of: /"id": ?"(?<id>[^"]+)"/) { return String(match.id) }
        }
        return nil
    }
}
