import Support
import Testing

/// A client that does everything right while others do not, and knows how long it had to wait.
actor GoodClient {
    /// The tasks that it has created.
    private(set) var tasks: [String] = []
    /// How long each of its requests took, its connection included.
    private(set) var times: [Duration] = []
    private let gateway: GatewayProcess
    private let clock = ContinuousClock()

    init(_ gateway: GatewayProcess) {
        self.gateway = gateway
    }

    /// The longest time.
    var slowest: Duration { times.max() ?? .zero }

    /// The time that so many hundredths of its requests did not exceed.
    func percentile(_ hundredths: Int) -> Duration {
        let sorted = times.sorted()
        guard !sorted.isEmpty else { return .zero }
        return sorted[min(sorted.count - 1, sorted.count * hundredths / 100)]
    }

    /// Creates tasks, reads them and lists them until something has happened, or is over.
    func work<Value>(until end: Signal<Value>) async throws {
        while !end.isSent { try await round() }
    }

    /// Creates a task, reads it, and lists, each on a connection of its own: one that others could have kept from it.
    func round() async throws {
        let created = try TaskView(
            await timed { try await $0.post("/v1/tasks", json: #"{"session":"up","path":"good"}"#) }, expecting: [202])
        tasks.append(created.id)
        let read = try TaskView(await timed { try await $0.get("/v1/tasks/\(created.id)") })
        #expect(read.id == created.id && read.session == "up")
        let list = try await timed { try await $0.get("/v1/tasks?page_size=1") }
        #expect(list.status == 200)
    }

    private func timed(
        _ request: (APIClient) async throws -> RawHTTPClient.Answer
    ) async throws -> RawHTTPClient.Answer {
        let start = clock.now
        let answer = try await request(gateway.client())
        times.append(clock.now - start)
        return answer
    }
}
