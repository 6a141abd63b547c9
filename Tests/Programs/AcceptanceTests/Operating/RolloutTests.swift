import ErrandLocking
import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("A rollout of two gateways")
    struct RolloutTests {
        /// The tasks that the clients create before and after each restart.
        private static let count = Errand.isSanitized ? 20 : 200
        private static let clients = 8

        @Test("Clients that ask /readyz first are never refused while one gateway after the other is restarted")
        func rollout() async throws {
            let upstream = try CrashUpstream()
            defer { upstream.stop() }
            var gateways: [RestartedGateway] = []
            for _ in 0..<2 { gateways.append(try await RestartedGateway(upstream: upstream.origin)) }
            let load = RolloutLoad(gateways)
            let end = Signal<Void>()
            try await withThrowingTaskGroup { [gateways] group in
                for number in 0..<Self.clients {
                    group.addTask { try await load.create(as: number, until: end) }
                }
                // A client that fails ends the test: otherwise the restarts would wait for its tasks.
                group.addTask {
                    defer { end.send() }
                    for gateway in gateways + gateways {
                        try await load.created.wait(for: Self.count)
                        let time = try await gateway.restart()
                        Soak.expect(time, within: .seconds(30), "the stop of a gateway")
                    }
                    try await load.created.wait(for: Self.count)
                }
                try await group.waitForAll()
            }
            for (gateway, tasks) in zip(gateways, load.tasks) {
                let client = try gateway.client()
                // Each round leaves tasks to each gateway while the other one restarts.
                #expect(tasks.count > Self.count)
                for task in tasks { #expect(try await client.finished(client.task(task)).state == "succeeded") }
                await gateway.stop()
            }
            #expect(upstream.requests.count == load.tasks.joined().count)
            #expect(upstream.requests.values.allSatisfy { $0 == 1 }, "a task was sent again")
        }
    }
}

/// A gateway with a store and a port of its own, which it keeps over restarts.
private final class RestartedGateway: Sendable {
    /// Long enough for a request that follows a response of `/readyz`.
    static let stopDelay = Duration.seconds(2)

    /// The port on 127.0.0.1.
    let port: UInt16
    private let folder: TemporaryFolder
    private let settings: GatewaySettings
    private let process: Mutex<GatewayProcess>

    init(upstream: String) async throws {
        folder = try TemporaryFolder()
        var settings = GatewaySettings(upstream: upstream)
        settings.server = ["stop_delay: \(Self.stopDelay.components.seconds)s"]
        var first: GatewayProcess?
        while first == nil {
            try Task.checkCancellation()
            settings.listen = "\"127.0.0.1:\(UInt16.random(in: Self.ports))\""
            do {
                first = try await GatewayProcess(settings, in: folder)
            } catch let error as ChildProcess.Ended where "\(error)".contains("Address already in use") {
                continue
            }
        }
        let running = try #require(first)
        self.settings = settings
        port = running.port
        process = Mutex(running)
    }

    /// The ports below those that the system chooses (`ip_local_port_range`), of which another test could get the
    /// gateway's while that restarts.
    private static let ports: Range<UInt16> = 20_000..<32_000

    /// Opens a connection to the gateway.
    func client() throws -> APIClient { try APIClient(port: port) }

    /// Stops the gateway as an orchestrator does, and starts it again.
    ///
    /// - Returns: The time that it took to stop.
    func restart() async throws -> Duration {
        let start = ContinuousClock().now
        await stop()
        let time = ContinuousClock().now - start
        let next = try await GatewayProcess(settings, in: folder)
        process.withLock { $0 = next }
        return time
    }

    /// Stops the gateway; it must have no task left to run.
    func stop() async {
        let exit = await process.withLock { $0 }.stop()
        #expect(exit == .status(0))
    }
}

/// Clients that create tasks at whichever gateway is ready.
private final class RolloutLoad: Sendable {
    /// Counts the created tasks.
    let created = EventCounter()
    private let gateways: [RestartedGateway]
    private let acknowledged: Mutex<[[String]]>
    private let clock = ContinuousClock()

    init(_ gateways: [RestartedGateway]) {
        self.gateways = gateways
        acknowledged = Mutex(gateways.map { _ in [] })
    }

    /// The identifiers of the tasks that each gateway has acknowledged.
    var tasks: [[String]] { acknowledged.withLock { $0 } }

    /// Creates tasks, in turn at each gateway that is ready.
    func create(as client: Int, until end: Signal<Void>) async throws {
        var round = client
        while !end.isSent {
            try await create(path: "\(client)/\(round)", at: round % gateways.count)
            round += 1
        }
    }

    private func create(path: String, at index: Int) async throws {
        let gateway = gateways[index]
        let asked = clock.now
        guard await isReady(gateway) else { return }
        do {
            let task = try await gateway.client().create(#"{"session":"up","path":"\#(path)"}"#)
            acknowledged.withLock { $0[index].append(task.id) }
            created.increment()
        } catch {
            // On a busy machine the response of /readyz can be too old when the request is sent.
            if clock.now - asked < RestartedGateway.stopDelay { throw error }
        }
    }

    /// Returns false also while the gateway does not listen.
    private func isReady(_ gateway: RestartedGateway) async -> Bool {
        do {
            return try await gateway.client().get("/readyz").status == 200
        } catch {
            return false
        }
    }
}
