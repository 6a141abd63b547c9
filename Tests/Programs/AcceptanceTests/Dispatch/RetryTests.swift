import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Retries")
    struct RetryTests {
        private static let json = ["Content-Type: application/json"]
        private static let quick = "retry: { backoff: { initial: 10ms, max: 50ms } }"

        /// Answers with these statuses in turn, and then repeats the last.
        private static func answering(_ statuses: String..., fields: [String] = []) -> ScriptedServer.Script {
            let count = EventLog<Void>()
            return { connection in
                while true {
                    try connection.readRequest()
                    count.append()
                    let status = statuses[min(count.events.count, statuses.count) - 1]
                    let isGood = status.hasPrefix("2")
                    try connection.respond(status, isGood ? json : json + fields, body: "{}")
                }
            }
        }

        @Test("A transient failure is retried, and each attempt is in the task")
        func history() async throws {
            try await withUpstream(Self.answering("503 Service Unavailable", "500 Oops", "200 OK")) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin, attempts: nil)
                settings.session = [Self.quick]
                try await withGateway(settings) { gateway in
                    let task = try await gateway.client().run(#"{"session":"up","path":"x"}"#)
                    #expect(task.state == "succeeded")
                    #expect(task.error == nil)
                    #expect(task.attempts.map(\.number) == [1, 2, 3])
                    #expect(task.attempts.map(\.status) == [503, 500, 200])
                    #expect(task.attempts.map(\.error?.code) == ["unacceptable_status", "unacceptable_status", nil])
                    #expect(upstream.requests.events.count == 3)
                }
            }
        }

        @Test("After the last attempt the task has failed with the last response")
        func exhausted() async throws {
            try await withUpstream(Self.answering("502 Bad Gateway")) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin, attempts: nil)
                settings.session = [Self.quick]
                try await withGateway(settings) { gateway in
                    let task = try await gateway.client().run(#"{"session":"up","retry":{"max_attempts":2}}"#)
                    #expect(task.state == "failed")
                    #expect(task.attempts.count == 2)
                    #expect(task.response?.status == 502)
                    #expect(task.error?.code == "unacceptable_status")
                    #expect(upstream.requests.events.count == 2)
                }
            }
        }

        @Test(
            "A POST that may have arrived is not repeated, unless it has a key or the configuration allows it",
            arguments: [
                (#"{"session":"up","method":"POST"}"#, 1),
                (#"{"session":"up","method":"POST","headers":{"Idempotency-Key":"k"}}"#, 3),
                (#"{"session":"up","method":"POST","retry":{"methods":["POST"]}}"#, 3),
                (#"{"session":"up","method":"PUT"}"#, 3),
            ])
        func arrived(_ json: String, _ requests: Int) async throws {
            try await withUpstream({ connection in
                // Read but not answered, so the client cannot know if it was processed.
                try connection.readRequest()
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin, attempts: nil)
                settings.session = [Self.quick]
                try await withGateway(settings) { gateway in
                    let task = try await gateway.client().run(json)
                    #expect(task.state == "failed")
                    #expect(task.error?.code == "connection_lost")
                    #expect(task.attempts.count == requests)
                    #expect(upstream.requests.events.count == requests)
                }
            }
        }

        @Test("A POST that was not sent is retried")
        func notSent() async throws {
            let upstream = try ScriptedServer(listens: false) { connection in
                try connection.readRequest()
                try connection.respond(Self.json.isEmpty ? "500 No" : "200 OK", Self.json, body: "{}")
            }
            defer { upstream.stop() }
            var settings = GatewaySettings(upstream: upstream.origin, attempts: nil)
            settings.session = ["retry: { max_attempts: 1000, backoff: { initial: 10ms, max: 50ms } }"]
            try await withGateway(settings) { gateway in
                let client = try gateway.client()
                let task = try await client.create(#"{"session":"up","method":"POST"}"#)
                let waiting = try await client.attempted(task)
                #expect(waiting.attempts.allSatisfy { $0.error?.code == "cannot_connect" })
                try upstream.listen()
                #expect(try await client.finished(waiting).state == "succeeded")
                #expect(upstream.requests.events.count == 1)
            }
        }

        /// Answers the first request with 429 and a pause, the others with success; tells of each before its response.
        private static func pausing(
            _ seconds: Int, _ arrivals: EventLog<(line: String, at: ContinuousClock.Instant)>
        ) -> ScriptedServer.Script {
            { connection in
                while true {
                    let request = try connection.readRequest()
                    arrivals.append((request.line, ContinuousClock.now))
                    if request.line.contains("/first "), arrivals.events.count == 1 {
                        try connection.respond("429 Too Many Requests", json + ["Retry-After: \(seconds)"], body: "{}")
                    } else {
                        try connection.respond("200 OK", json, body: "{}")
                    }
                }
            }
        }

        @Test("Retry-After pauses the whole session for its time, and then all its tasks run")
        func retryAfter() async throws {
            let arrivals = EventLog<(line: String, at: ContinuousClock.Instant)>()
            try await withUpstream(Self.pausing(5, arrivals)) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin, attempts: nil)) { gateway in
                    let client = try gateway.client()
                    let first = try await client.attempted(client.create(#"{"session":"up","path":"first"}"#))
                    let second = try await client.create(#"{"session":"up","path":"second"}"#)
                    #expect(try await client.finished(second).state == "succeeded")
                    #expect(try await client.finished(first).state == "succeeded")
                }
                let times = arrivals.events.map(\.at)
                #expect(times.count == 3)
                for time in times.dropFirst() {
                    #expect(time - times[0] >= .seconds(5))
                    Soak.expect(time - times[0], within: .seconds(30))
                }
            }
        }

        @Test("During the pause of Retry-After the tasks of the session wait with that reason, and no others")
        func whileQuiet() async throws {
            let arrivals = EventLog<(line: String, at: ContinuousClock.Instant)>()
            // Longer than the test, so that everything below happens during the pause.
            try await withUpstream(Self.pausing(3600, arrivals)) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin, attempts: nil)) { gateway in
                    let client = try gateway.client()
                    let first = try await client.attempted(client.create(#"{"session":"up","path":"first"}"#))
                    #expect(first.state == "waiting")
                    let second = try await client.create(#"{"session":"up","path":"second"}"#)
                    #expect(second.state == "queued")
                    #expect(second.hold == "retry_after")
                    // Other sessions are unaffected.
                    #expect(try await client.run(#"{"session":"raw","path":"other"}"#).state == "succeeded")
                    #expect(try await client.task(second.id).state == "queued")
                }
                #expect(arrivals.events.map(\.line) == ["GET /first HTTP/1.1", "GET /other HTTP/1.1"])
            }
        }
    }
}
