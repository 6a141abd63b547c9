import ErrandSupport
import Testing

extension Acceptance {
    /// `ERRAND_SOAK=1` sends a million, and a tenth as many over TLS.
    @Suite("Mutated requests")
    struct MutatedRequestTests {
        enum Transport: CaseIterable {
            case tcp
            case tls

            /// The number of requests.
            var requests: Int {
                let all = Soak.isWanted ? 1_000_000 : TestBuild.hasThreadSanitizer ? 2000 : 20_000
                return self == .tls ? all / 10 : all
            }
        }

        private static let clients = 4

        @Test(
            "Mutated requests get valid responses, no task is lost or invented, and other clients are served",
            arguments: Transport.allCases)
        func sweep(over transport: Transport) async throws {
            let folder = try TemporaryFolder()
            let socket = folder["errand.sock"]
            // A connection on which nothing more comes must not hold up the test for long.
            var settings = GatewaySettings(
                listen: "[\"127.0.0.1:0\", { unix: \(socket) }]",
                server: ["max_wait: 1s", "timeouts: { header: 60s, body: 10m, body_idle: 60s, keep_alive: 60s }"])
            if transport == .tls { settings.server.append(try Self.tls(in: folder)) }
            let seed = UInt64.random(in: 0..<1 << 32)
            try await withGateway(settings, in: folder) { gateway in
                // Pools and caches reach their size in this warm-up.
                var report = await Self.attack(gateway, transport, transport.requests / 10, seed: seed)
                let before = try gateway.process.peakMemoryBytes()
                let clock = ContinuousClock()
                let start = clock.now
                let attack = Signal<HostileClient.Report>()
                let others = GoodClient(limit: .seconds(60)) { try APIClient(unixSocket: socket) }
                async let served: Void = others.work(until: attack)
                attack.send(
                    await Self.attack(gateway, transport, transport.requests - report.requests, seed: seed + 1000))
                try await served
                report.add(await attack.wait())
                let time = clock.now - start
                let growth = try gateway.process.peakMemoryBytes() - before

                #expect(report.failures == [], "first seed \(seed)")
                #expect(report.requests >= transport.requests)
                let stored = try await Self.allTasks(APIClient(unixSocket: socket))
                let created = await others.tasks
                let acknowledged = Set(report.tasks + created)
                #expect(acknowledged.count == report.tasks.count + created.count)
                #expect(acknowledged.isSubset(of: stored), "no task is lost")
                let unread = HostileClient.maxBatch * report.unread
                #expect(stored.count <= acknowledged.count + unread, "no task is invented")
                #expect(report.responses[500] == nil, "\(report.responses)")
                #expect(!report.tasks.isEmpty && report.responses.keys.contains(400), "\(report.responses)")
                #expect(try await APIClient(unixSocket: socket).get("/healthz").status == 200)
                if !Errand.isSanitized { #expect(growth < 64 << 20) }
                print(
                    """
                    \(report.requests) mutated requests over \(transport) on \(report.connections) connections in \(time), seed \(seed): \
                    responses \(report.responses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }), \
                    \(report.unread) connections unread, \(report.tasks.count) tasks acknowledged, \
                    \(stored.count) stored; \(created.count) tasks of a good client beside them, \
                    99 % of its responses within \(await others.percentile(99)), all within \(await others.slowest); \
                    \(growth >> 10) KiB more memory
                    """)
            }
        }

        /// Runs several clients that send requests at the same time.
        private static func attack(
            _ gateway: GatewayProcess, _ transport: Transport, _ count: Int, seed: UInt64
        ) async -> HostileClient.Report {
            await withTaskGroup(of: HostileClient.Report.self) { group in
                for number in 0..<clients {
                    let port = gateway.port
                    group.addTask {
                        let done = Signal<HostileClient.Report>()
                        BlockingThread.run {
                            var client = HostileClient(
                                port: port, isSecure: transport == .tls, seed: seed + UInt64(number))
                            done.send(client.send(count / clients + 1))
                        }
                        return await done.wait()
                    }
                }
                return await group.reduce(into: HostileClient.Report()) { $0.add($1) }
            }
        }

        /// Returns the line of `server.tls` with a new certificate.
        private static func tls(in folder: TemporaryFolder) throws -> String {
            let certificate = try TestCertificate("CN=test", .server)
            let chain = try folder.write(String(decoding: certificate.pem(), as: UTF8.self), to: "certificate.pem")
            let key = try folder.write(String(decoding: certificate.keyPEM(), as: UTF8.self), to: "key.pem")
            return "tls: { certificate: \(chain), key: \(key) }"
        }

        /// Returns the identifiers of all tasks.
        private static func allTasks(_ client: APIClient) async throws -> Set<String> {
            var found: Set<String> = []
            try await client.forEachTask { (task: TaskView) in found.insert(task.id) }
            return found
        }
    }
}
