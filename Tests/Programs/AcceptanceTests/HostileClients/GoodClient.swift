import ErrandSupport
import Testing

/// A well-behaved client among hostile ones, which measures its waiting times.
actor GoodClient {
    /// The tasks that it has created.
    private(set) var tasks: [String] = []
    /// The duration of each request, including its connection.
    private(set) var times: [Duration] = []
    private let connect: @Sendable () throws -> APIClient
    private let clock = ContinuousClock()
    private let limit: Duration?

    /// - Parameter limit: The server's time limit for a request; `nil` if none passes during the test. A request that
    ///   this client was too late for, as the machine is busy, is repeated.
    init(_ gateway: GatewayProcess, limit: Duration? = nil) {
        self.init(limit: limit) { try gateway.client() }
    }

    /// - Parameter connect: Opens a connection to the gateway.
    init(limit: Duration? = nil, connect: @escaping @Sendable () throws -> APIClient) {
        self.connect = connect
        self.limit = limit
    }

    /// The longest time.
    var slowest: Duration { times.max() ?? .zero }

    /// Returns the given percentile of the durations.
    func percentile(_ hundredths: Int) -> Duration {
        let sorted = times.sorted()
        guard !sorted.isEmpty else { return .zero }
        return sorted[min(sorted.count - 1, sorted.count * hundredths / 100)]
    }

    /// Creates, reads and lists tasks until a signal.
    func work<Value>(until end: Signal<Value>) async throws {
        while !end.isSent { try await round() }
    }

    /// Creates a task, reads it, and lists, each on a connection of its own, which other clients could prevent.
    func round() async throws {
        let created = try TaskView(
            await timed { try await $0.post("/v1/tasks", json: #"{"session":"up","path":"good"}"#) }, expecting: [202])
        tasks.append(created.id)
        let read = try TaskView(await timed { try await $0.get("/v1/tasks/\(created.id)") })
        #expect(read.id == created.id && read.session == "up")
        let list = try await timed { try await $0.get("/v1/tasks?page_size=1") }
        #expect(list.status == 200)
    }

    /// Returns the status of `/healthz`.
    func health() async throws -> Int {
        try await timed { try await $0.get("/healthz") }.status
    }

    private func timed(
        _ request: (APIClient) async throws -> RawHTTPClient.Response
    ) async throws -> RawHTTPClient.Response {
        while true {
            let start = clock.now
            // The connection begins after this moment, so that a server which keeps its limit refuses it only later.
            var isLate: Bool { limit.map { clock.now - start >= $0 } ?? false }
            do {
                let response = try await request(connect())
                if response.status == 408, isLate { continue }
                times.append(clock.now - start)
                return response
            } catch is RawHTTPClient.Failure where isLate {
                continue
            }
        }
    }
}
