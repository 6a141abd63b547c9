import ErrandSupport
import Testing

extension Acceptance {
    @Suite("The bandwidth of tasks and sessions")
    struct BandwidthTests {
        private static let content = [UInt8](repeating: 7, count: 128 << 20)
        /// More than the bytes of a tenth of a second and the pieces on their way.
        private static let slack = 64 << 10

        /// Sends a PATCH with the task's own rate, in bytes per second or `null`.
        private func pace(_ task: TaskView, _ rate: String, with client: APIClient) async throws {
            let response = try await client.send(
                "PATCH", "/v1/tasks/\(task.id)", ["Content-Type: application/merge-patch+json"],
                json: #"{"bytes_per_second":\#(rate)}"#)
            #expect(response.status == 200, "\(response.text)")
        }

        /// Reads the received bytes of some tasks until a condition is met.
        private func received(
            by tasks: [TaskView], with client: APIClient, until isReached: ([Int]) -> Bool
        ) async throws -> [Int] {
            while true {
                try Task.checkCancellation()
                var received: [Int] = []
                for task in tasks { received.append(try await client.task(task.id).progress.download.completed) }
                if isReached(received) { return received }
            }
        }

        @Test("A session's rate is shared by its running transfers, and both rates can be changed meanwhile")
        func shared() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream({ connection in
                try connection.readRequest()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.content.count)\r\n\r\n")
                try connection.send(Self.content)
            }) { upstream in
                func settings(_ rate: Int) -> GatewaySettings {
                    var settings = GatewaySettings(upstream: upstream.origin)
                    settings.sessions = [
                        """
                        paced: { base_url: "\(upstream.origin)/", response: { serializer: raw }, \
                        limits: { bytes_per_second: \(rate)KiB/s } }
                        """
                    ]
                    return settings
                }
                try await withGateway(settings(512), in: folder) { gateway in
                    let client = try gateway.client()
                    let clock = ContinuousClock()
                    let start = clock.now
                    var tasks: [TaskView] = []
                    for name in ["a.bin", "b.bin"] {
                        tasks.append(
                            try await client.create(
                                #"{"session":"paced","kind":"download","download":{"destination":"\#(name)"}}"#))
                    }
                    // The second transfer may begin late on a busy machine; shares are compared from then on.
                    let begun = try await self.received(by: tasks, with: client) { ($0.min() ?? 0) > 0 }
                    var received = try await self.received(by: tasks, with: client) { now in
                        now[0] - begun[0] >= 512 << 10 || now[1] - begun[1] >= 512 << 10
                    }
                    let seconds = start.duration(to: clock.now) / .seconds(1)
                    let paid = received[0] + received[1] - 2 * Self.slack
                    #expect(Double(paid) <= seconds * 512 * 1024, "\(received)")
                    let shares = [received[0] - begun[0], received[1] - begun[1]]
                    #expect((shares.min() ?? 0) >= 256 << 10, "each gets its share: \(shares)")

                    // One of them is slowed down, and the other one gets the rest of the session's rate.
                    try await pace(tasks[0], "1024", with: client)
                    let (slowed, before) = (clock.now, try await self.received(by: tasks, with: client) { _ in true })
                    received = try await self.received(by: tasks, with: client) { $0[1] - before[1] >= 1 << 20 }
                    let crawled = slowed.duration(to: clock.now) / .seconds(1)
                    let crept = received[0] - before[0] - Self.slack
                    #expect(Double(crept) <= crawled * 1024, "\(before) \(received)")

                    // The session's rate is raised: at the former one the rest would take four minutes.
                    try folder.write(settings(1 << 20).yaml(folder), to: "config.yaml")
                    #expect(try await client.reload().changed == ["sessions.paced.limits.bytes_per_second"])
                    #expect(try await client.finished(tasks[1]).state == "succeeded")
                    #expect(try await client.task(tasks[0].id).state == "running")
                    try await pace(tasks[0], "null", with: client)
                    #expect(try await client.finished(tasks[0]).state == "succeeded")
                    #expect(upstream.requests.events.count == 2, "no transfer was repeated")
                }
            }
        }
    }
}
