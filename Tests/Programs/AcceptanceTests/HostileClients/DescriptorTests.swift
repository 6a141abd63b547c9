import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("Descriptors")
    struct DescriptorTests {
        @Test(
            "Without free descriptors the gateway logs it and does not spin; it closes idle connections and recovers"
        )
        func exhausted() async throws {
            try await withGateway { gateway in
                // Lowered while the gateway runs, since at its start it adapts its limits to the available descriptors.
                let limit = try await gateway.limitDescriptors(toOpenAnd: 40)
                let clock = ContinuousClock()
                let (start, before) = (clock.now, try gateway.process.processorTime())
                // More connections than descriptors, none of which has sent a request.
                let idle = try (0..<150).map { _ in try RawHTTPClient(port: gateway.port) }
                let warning = try await gateway.process.logLine(containing: "out of descriptors")
                #expect(warning.contains(#""level":"warning""#))
                // Without the last ones libdispatch ends the process. One connection may have taken the first of them.
                #expect(try gateway.openDescriptors() <= limit - 7)
                // Queued behind all of them: accepted once enough others were closed.
                let last = try gateway.client()
                #expect(try await last.get("/healthz").status == 200)
                let (time, used) = (clock.now - start, try gateway.process.processorTime() - before)
                // A pause follows each few connections that were closed: long enough to see one that spins. A busy
                // machine makes the time longer, but not the processor's work.
                #expect(time > .seconds(2))
                #expect(used < time / 2 + .seconds(1), "\(used) of a processor in \(time)")
                for client in idle { client.close() }
                #expect(try await gateway.client().get("/readyz").status == 200)
            }
        }

        @Test("Started with few descriptors, the gateway lowers its limits with a warning, and serves 200 POSTs")
        func few() async throws {
            try await withEcho { echo in
                var settings = GatewaySettings(upstream: echo.origin)
                settings.store += ["inline_body: 16KiB"]
                let launcher = ["/usr/bin/prlimit", "--nofile=\(Self.fewDescriptors)"]
                try await withGateway(settings, launcher: launcher) { gateway in
                    for limit in ["dispatcher.max_running from 512 to ", "server.max_connections from 4096 to "] {
                        let warning = try await gateway.process.logLine(containing: "lowered \(limit)")
                        #expect(warning.contains(#""level":"warning""#))
                        #expect(warning.contains("may open at most \(Self.fewDescriptors) files (ulimit -n)"))
                    }
                    let tasks = try await Self.post(200, to: gateway)
                    #expect(Set(tasks.map(\.id)).count == 200)
                    let client = try gateway.client()
                    for task in tasks {
                        let finished = try await client.finished(task)
                        #expect(finished.state == "succeeded")
                        // A file: each attempt needs a descriptor besides that of its connection.
                        #expect(finished.response?.body?.size ?? 0 > Self.bodyBytes)
                    }
                    #expect(try gateway.openDescriptors() < Self.fewDescriptors)
                }
            }
        }

        private static let fewDescriptors = 256
        /// The size of the content that each task sends, which the upstream sends back.
        private static let bodyBytes = 50_000

        /// Creates tasks, each on a connection of its own, all of them at once.
        private static func post(_ count: Int, to gateway: GatewayProcess) async throws -> [TaskView] {
            let text = String(repeating: "x", count: bodyBytes)
            let task = #"{"session":"raw","method":"POST","path":"anything","body":{"text":"\#(text)"}}"#
            return try await withThrowingTaskGroup(of: TaskView.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        let client = try gateway.client()
                        defer { client.connection.close() }
                        return try TaskView(
                            await client.post("/v1/tasks", json: task, "Connection: close"), expecting: [202])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }

        @Test("Without free descriptors, idle connections to upstreams are closed, so that clients are accepted")
        func idleUpstreams() async throws {
            let gate = Gate()
            try await withUpstream(holding: gate) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.session = ["limits: { concurrent: 30 }", "connection: { max_per_host: 30, max_idle: 30 }"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let waiting = try await client.create(#"{"session":"up","start":"suspended"}"#)
                    var tasks: [TaskView] = []
                    for _ in 0..<30 { tasks.append(try await client.create(#"{"session":"up","path":"held"}"#)) }
                    _ = await upstream.requests.first(30)
                    for _ in 0..<30 { gate.open() }
                    for task in tasks { #expect(try await client.finished(task).state == "succeeded") }
                    #expect(upstream.accepted.events.count == 30)
                    #expect(upstream.ended.events.isEmpty, "all are kept")

                    try await gateway.limitDescriptors(toOpenAnd: 16)
                    // None of these connections is idle, so the server cannot close one to make room for the others.
                    let polls = (0..<24).map { _ in Task { try await Self.poll(waiting, of: gateway) } }
                    defer { for poll in polls { poll.cancel() } }
                    let warning = try await gateway.process.logLine(containing: "out of descriptors")
                    #expect(warning.contains(#""level":"warning""#))
                    _ = await upstream.ended.first(30)
                    #expect(try await gateway.client().post("/v1/tasks/\(waiting.id)/cancel").status == 200)
                    // They make connections until they are canceled, also to a gateway that was killed.
                    try await withTaskCancellationHandler { () async throws in
                        for poll in polls { #expect(try await poll.value.state == "canceled") }
                    } onCancel: {
                        for poll in polls { poll.cancel() }
                    }
                    // The session makes new connections.
                    try await gateway.limitDescriptors(toOpenAnd: nil)
                    #expect(try await gateway.client().run(#"{"session":"up"}"#).state == "succeeded")
                }
            }
        }

        /// Waits for the end of a task on a connection of its own.
        ///
        /// Another one is made if the server has closed it before it read the request.
        private static func poll(_ task: TaskView, of gateway: GatewayProcess) async throws -> TaskView {
            while true {
                do {
                    return try TaskView(await gateway.client().get("/v1/tasks/\(task.id)?wait=1h"))
                } catch is RawHTTPClient.Failure {
                    try Task.checkCancellation()
                }
            }
        }
    }
}
