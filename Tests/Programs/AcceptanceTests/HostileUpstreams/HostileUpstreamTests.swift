import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    /// One upstream is hostile; the gateway, the tasks of other sessions and their cancels are as if it were not there.
    @Suite("Hostile upstreams")
    struct HostileUpstreamTests {
        /// The longest that a task, a cancel or `/healthz` may take meanwhile, if the program is optimised and alone.
        ///
        /// In a test run the hostile tasks last longer than the test: another that starves hangs.
        private static let patience = Duration.seconds(1)
        /// The memory that the hostile tasks may take, in bytes.
        private static let memoryLimit = 96 << 20
        /// The tasks that the hostile upstream has at a time.
        private static let taskCount = 8
        /// The number of measurements of other sessions.
        private static let roundCount = Soak.isWanted ? 50 : 3

        @Test(
            "Other sessions' tasks and cancels are done while it is at work, and memory stays bounded",
            arguments: HostileUpstream.allCases)
        func othersAreServed(hostile: HostileUpstream) async throws {
            try await withUpstream(hostile.script) { bad in
                try await withUpstream(Self.quiet) { good in
                    var settings = GatewaySettings(upstream: good.origin)
                    settings.sessions = [
                        "bad: { base_url: '\(bad.origin)/', timeouts: { total: 24h }, connection: "
                            + "{ http: '\(hostile.version)' } }"
                    ]
                    try await withGateway(settings) { gateway in
                        let client = try gateway.client()
                        // What the first task of all costs is the start's.
                        _ = try await client.run(#"{"session":"up","path":"x"}"#)
                        let before = try gateway.process.peakMemoryBytes()
                        try await measure(hostile, good, bad, gateway, client)
                        guard !Errand.isSanitized else { return }
                        let growth = try gateway.process.peakMemoryBytes() - before
                        print("\(hostile): \(growth >> 20) MiB more")
                        #expect(growth < Self.memoryLimit)
                    }
                }
            }
        }

        private func measure(
            _ hostile: HostileUpstream, _ good: ScriptedServer, _ bad: ScriptedServer, _ gateway: GatewayProcess,
            _ client: APIClient
        ) async throws {
            var tasks: [TaskView] = []
            for _ in 0..<Self.taskCount { tasks.append(try await client.create(#"{"session":"bad"}"#)) }
            _ = await bad.accepted.first(1)
            var longest = Duration.zero
            for _ in 0..<Self.roundCount {
                let steps: [() async throws -> Void] = [
                    {
                        let health = try await client.get("/healthz")
                        #expect(health.status == 200)
                    },
                    {
                        let task = try await client.run(#"{"session":"up","path":"x"}"#)
                        #expect(task.state == "succeeded")
                    },
                ]
                for step in steps { longest = max(longest, try await timed(step)) }
                let waiting = try await client.create(#"{"session":"up","path":"wait"}"#)
                longest = max(longest, try await timed { try await cancel(waiting, client) })
                // One that has ended is followed by another: the upstream is at work all the time.
                for (index, task) in tasks.enumerated() where try await client.task(task.id).done {
                    tasks[index] = try await client.create(#"{"session":"bad"}"#)
                }
            }
            print("\(hostile): others wait \(longest) at most")
            Soak.expect(longest, within: Self.patience)
            for task in tasks {
                let response = try await client.post("/v1/tasks/\(task.id)/cancel")
                #expect([200, 202, 409].contains(response.status))
                let finished = try await client.finished(task)
                #expect(finished.done)
            }
        }

        private func cancel(_ task: TaskView, _ client: APIClient) async throws {
            let response = try await client.post("/v1/tasks/\(task.id)/cancel")
            let canceled = try await client.finished(TaskView(response, expecting: [200, 202]))
            #expect(canceled.state == "canceled")
        }

        private func timed(_ body: () async throws -> Void) async throws -> Duration {
            let start = ContinuousClock.now
            try await body()
            return start.duration(to: .now)
        }

        private static let quiet: ScriptedServer.Script = { connection in
            while true {
                let request = try connection.readRequest()
                if request.line.hasPrefix("GET /wait ") { return connection.waitForClose() }
                try connection.respond("200 OK", ["Content-Type: application/json"], body: "{}")
            }
        }
    }
}
