import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Callbacks to a receiver that is away")
    struct CallbackOutageTests {
        private static let count = Errand.isSanitized ? 500 : 3000
        private static let batch = 500

        @Test("Three thousand messages to a closed port hold up no first message of a healthy receiver, and no retry")
        func healthyBeside() async throws {
            // The port is taken, and connections to it are refused.
            let away = try ScriptedServer(listens: false) { _ in }
            defer { away.stop() }
            let clock = ContinuousClock()
            let times = EventLog<ContinuousClock.Instant>()
            let busyOnce = CallbackSettings.answering("500 Oops", "204 No Content") { times.append(clock.now) }
            try await withUpstream(ScriptedServer.accepting) { upstream in
                var settings = CallbackSettings.settings(upstream: upstream.origin, secrets: [CallbackSettings.secret])
                settings.store = ["durability: normal"]
                settings.session = ["limits: { concurrent: 64 }"]
                try await withUpstream(busyOnce) { receiver in
                    try await withGateway(settings) { gateway in
                        let client = try gateway.client()
                        let lost = CallbackSettings.task(callback: "\(away.origin)/")
                        let batch = Array(repeating: lost, count: Self.batch).joined(separator: ",")
                        for _ in 0..<Self.count / Self.batch {
                            let response = try await client.post("/v1/tasks:batch", json: #"{"tasks":[\#(batch)]}"#)
                            #expect(response.status == 200)
                        }
                        _ = await upstream.requests.first(Self.count)
                        let before = try await Self.attempts(client)
                        let start = clock.now
                        let task = try await client.run(CallbackSettings.task(callback: "\(receiver.origin)/"))
                        let told = await times.first(2)
                        let (first, retry) = (told[0] - start, told[1] - told[0])
                        print("beside \(Self.count) messages: the first after \(first), its retry \(retry) later")
                        // Its own back-off is five seconds, give or take one.
                        #expect(retry >= .seconds(3.9))
                        // It waited for none of the others: they would have been attempted before, each of them.
                        #expect(try await Self.attempts(client) < before + Self.count / 2)
                        Soak.expect(first, within: .seconds(30))
                        Soak.expect(retry, within: .seconds(36))
                        #expect(try await client.finished(client.delivery(about: task)).state == "succeeded")
                        // They were there all the time.
                        let waiting = try await client.session("callbacks").tasks
                        #expect(waiting["queued", default: 0] + waiting["waiting", default: 0] > Self.count - 100)
                    }
                }
            }
        }

        /// Returns the number of attempts of all messages so far.
        private static func attempts(_ client: APIClient) async throws -> Int {
            var count = 0
            try await client.forEachTask("&kind=callback") { (task: TaskView) in count += task.attempts.count }
            return count
        }
    }
}
