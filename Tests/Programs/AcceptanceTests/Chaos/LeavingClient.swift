import ErrandSupport

/// Clients that disconnect at random points of each request: while sending, waiting, or reading.
enum LeavingClient {
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

    private static func leave(_ port: UInt16, _ random: inout SplitMix64) {
        // A gateway without descriptors, or that is not running, is a different fault.
        guard let connection = try? BlockingConnection(port: port, timeoutSeconds: 1) else { return }
        let call = Array((calls.randomElement(using: &random) ?? "").utf8)
        let sent = Bool.random(using: &random) ? call.count : Int.random(in: 0...call.count, using: &random)
        _ = connection.send(call[..<sent])
        if Bool.random(using: &random) { _ = try? connection.receive(atMost: Int.random(in: 1...4096, using: &random)) }
        if Bool.random(using: &random) { connection.reset() }
    }

    /// One request of each kind, with effects that no client relies on.
    private static let calls: [String] = [
        request("GET", "/healthz"), request("GET", "/v1/tasks?page_size=1000"), request("GET", "/v1/events"),
        request("GET", "/v1/tasks?label.none=none&page_size=1000"), request("GET", "/v1/sessions"),
        request("GET", "/readyz"), request("GET", "/v1/schedules"),
        request("POST", "/v1/tasks", #"{"session":"up","path":"ok/left"}"#),
        // Without retries, since no client cancels it: retries would keep a connection of the session for minutes.
        request("POST", "/v1/tasks?wait=20s", #"{"session":"up","path":"stuck/left","retry":{"max_attempts":1}}"#),
        request(
            "POST", "/v1/tasks:batch", #"{"tasks":[{"session":"up","path":"ok/left"},{"session":"up","path":"ok/l"}]}"#),
        request("POST", "/v1/tasks:cancel", #"{"labels":{"none":"none"}}"#),
        request("POST", "/v1/tasks:delete", #"{"labels":{"none":"none"}}"#),
        request("POST", "/v1/schedules/tick/run"),
    ]

    private static func request(_ method: String, _ path: String, _ json: String? = nil) -> String {
        let content = json.map { "Content-Type: application/json\r\nContent-Length: \($0.utf8.count)\r\n\r\n\($0)" }
        return "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n" + (content ?? "Content-Length: 0\r\n\r\n")
    }
}
