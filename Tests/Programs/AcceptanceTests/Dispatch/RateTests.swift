import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Rates and order")
    struct RateTests {
        private static let json = ["Content-Type: application/json"]

        @Test("Starts never exceed the burst and the rate")
        func rate() async throws {
            let clock = ContinuousClock()
            let arrivals = EventLog<ContinuousClock.Instant>()
            try await withUpstream({ connection in
                while true {
                    try connection.readRequest()
                    arrivals.append(clock.now)
                    try connection.respond("200 OK", Self.json, body: "{}")
                }
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.session = ["limits: { rate: 100/s, burst: 10, concurrent: 64 }"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let tasks = (0..<200).map { #"{"session":"up","path":"\#($0)"}"# }
                    // Before the first start; the arrival of a request is after its start, however late it is noted.
                    let begin = clock.now
                    let batch = try await client.post(
                        "/v1/tasks:batch", json: #"{"tasks":[\#(tasks.joined(separator: ","))]}"#)
                    #expect(batch.status == 200)
                    let times = await arrivals.first(200).sorted()
                    for count in stride(from: 20, through: 200, by: 10) {
                        #expect(Double(count) <= 10 + 100 * (times[count - 1] - begin).inSeconds)
                    }
                    let seconds = (times[199] - begin).inSeconds
                    print("200 starts at 100/s with a burst of 10: \(seconds) s, of 1.9 s")
                }
            }
        }

        @Test("1,000 tasks of 50 keys run in order within each key, one at a time, and all keys concurrently")
        func order() async throws {
            let running = RunningKeys()
            let answered = EventLog<Void>()
            try await withUpstream({ connection in
                while true {
                    let request = try connection.readRequest()
                    let parts = request.line.split(separator: " ")[1].split(separator: "/").compactMap { Int($0) }
                    running.begin(parts[0], parts[1])
                    // Waits until all keys are running, which shows that none waits for another.
                    if parts[1] == 0 { running.waitForAll(50) }
                    running.end(parts[0])
                    try connection.respond("200 OK", Self.json, body: "{}")
                    answered.append()
                }
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.session = ["limits: { concurrent: 64 }", "connection: { max_per_host: 64 }"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let tasks = (0..<1000).map {
                        #"{"session":"up","path":"\#($0 % 50)/\#($0 / 50)","ordering_key":"k\#($0 % 50)"}"#
                    }
                    let batch = try await client.post(
                        "/v1/tasks:batch", json: #"{"tasks":[\#(tasks.joined(separator: ","))]}"#)
                    #expect(batch.status == 200)
                    _ = await answered.first(1000)
                    for key in 0..<50 { #expect(running.order(of: key) == Array(0..<20)) }
                    #expect(running.overlaps == 0)
                }
            }
        }
    }
}

extension Duration {
    /// The duration in seconds.
    fileprivate var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
