import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Memory does not grow with the responses that are read as a whole")
    struct ReadingMemoryTests {
        /// The size of a response, in bytes; the budget is 64 MiB.
        private static let bytes = 8 << 20
        /// The number of responses: together six times the budget.
        private static let count = 48
        /// The most memory: the budget, the connections, and memory that the allocator keeps.
        private static let limitBytes = 160 << 20

        @Test(
            "JSON responses that complete at the same moment are read within the budget, and all succeed",
            .enabled(if: !Errand.isSanitized))
        func sameMoment() async throws {
            let document = #"{"text":"\#(String(repeating: "x", count: Self.bytes - 11))"}"#
            let arrived = EventLog<Void>()
            let gate = Gate()
            try await withUpstream({ connection in
                try connection.readRequest()
                try connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(Self.bytes)\r\n\r\n")
                try connection.send(String(document.dropLast()))
                arrived.append()
                gate.wait()
                try connection.send("}")
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.session = [
                    "limits: { concurrent: \(Self.count) }", "connection: { max_per_host: \(Self.count) }",
                    "response: { serializer: json, disposition: { max_body: 16MiB } }",
                ]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    var tasks: [TaskView] = []
                    for _ in 0..<Self.count { tasks.append(try await client.create(#"{"session":"up"}"#)) }
                    _ = await arrived.first(Self.count)
                    let before = try gateway.process.peakMemoryBytes()
                    for _ in 0..<Self.count { gate.open() }
                    for task in tasks { #expect(try await client.finished(task).state == "succeeded") }
                    let growth = try gateway.process.peakMemoryBytes() - before
                    print("\(Self.count) responses of \(Self.bytes >> 20) MiB: \(growth >> 20) MiB more memory")
                    #expect(growth < Self.limitBytes)
                }
            }
        }
    }
}
