import ErrandSupport
import Testing

extension Acceptance {
    /// The attacks of `slowhttptest`; `ERRAND_SOAK=1` runs them with a thousand connections, for a minute.
    @Suite("Slow clients")
    struct SlowClientTests {
        private static let connections = Soak.isWanted ? 1000 : 100
        /// The limit of the header section and of the content's pauses.
        private static let limit = Duration.seconds(2)

        /// The four modes of the tool.
        enum Mode: String, CaseIterable, CustomTestStringConvertible {
            case headers = "-H"
            case body = "-B"
            case reading = "-X"
            case ranges = "-R"

            var testDescription: String { "\(self)" }

            /// The time after which the tool ends by itself, in seconds.
            ///
            /// Only readers are not cut off, see below; the other modes end with their last connection, or hang.
            var seconds: Int { self == .reading ? (Soak.isWanted ? 60 : 20) : 3600 }

            /// The arguments that make the tool slower than the limits below allow.
            var arguments: [String] {
                switch self {
                case .headers: ["-i", "1", "-x", "10"]
                case .body: ["-i", "1", "-x", "10", "-s", "8192", "-t", "POST", "-f", "application/json"]
                case .reading: ["-n", "1", "-z", "1", "-w", "1", "-y", "2", "-k", "3"]
                case .ranges: ["-a", "1", "-b", "3000"]
                }
            }
        }

        @Test(
            "Other clients are served while slow ones occupy connections, until the limits close these",
            .enabled(if: Errand.sanitizer != .thread), arguments: Mode.allCases)
        func served(mode: Mode) async throws {
            let limits = "timeouts: { header: 2s, body: 5s, body_idle: 2s, keep_alive: 2s }"
            let folder = try TemporaryFolder()
            try await withEcho { echo in
                // Without the limits, which hold for every client.
                let large = try await withGateway(GatewaySettings(upstream: echo.origin), in: folder) { gateway in
                    try await gateway.client().run(#"{"session":"raw","path":"bytes/4000000"}"#)
                }
                #expect(large.state == "succeeded")
                let settings = GatewaySettings(upstream: echo.origin, server: [limits])
                try await withGateway(settings, in: folder) { gateway in
                    let alone = GoodClient(gateway, limit: Self.limit)
                    for _ in 0..<100 { try await alone.round() }

                    let path = mode == .headers || mode == .body ? "/v1/tasks" : "/v1/tasks/\(large.id)/body"
                    let end = Signal<Void>()
                    let beside = GoodClient(gateway, limit: Self.limit)
                    async let work: Void = beside.work(until: end)
                    defer { end.send() }
                    let output = try await Self.attack("\(gateway.origin)\(path)", mode)
                    end.send()
                    try await work

                    // The tool also probes the service itself, and its last words are the reason for its end. A client
                    // may read a response as slowly as it likes as long as it makes progress: this costs only a
                    // connection, which the limit of connections per address covers.
                    #expect(!output.contains(/service available: *NO/), "\(output)")
                    if mode != .reading { #expect(output.contains("No open connections left"), "\(output)") }
                    #expect(try await beside.health() == 200)
                    let (before, after) = (await alone.percentile(50), await beside.percentile(50))
                    print(
                        """
                        \(mode), \(Self.connections) connections: half of \(await beside.times.count) responses within \
                        \(after), alone \(before), ratio \(after / before); 99 % within \(await beside.percentile(99)), \
                        alone \(await alone.percentile(99)); all within \(await beside.slowest)
                        """)
                }
            }
        }

        /// Runs the tool to its end.
        private static func attack(_ url: String, _ mode: Mode) async throws -> String {
            // How soon the tool wants a response to its own probe is a measured time, like those of the good client.
            let patience = Soak.isWanted ? 5 : 3600
            let command = [
                mode.rawValue, "-c", "\(connections)", "-r", "\(connections)", "-l", "\(mode.seconds)", "-p",
                "\(patience)",
            ]
            let tool = try ChildProcess("/usr/bin/slowhttptest", command + mode.arguments + ["-u", url])
            let result = await tool.result()
            return (result.output + result.errors).replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: "")
        }
    }
}
