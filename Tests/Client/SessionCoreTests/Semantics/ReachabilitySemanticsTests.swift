import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// The reachability of the upstream, which is information and never blocks requests.
@Suite("Rules of reachability", .timeLimit(.hang))
struct ReachabilitySemanticsTests {
    private static let refused: [ScriptedTransport.Step] = [.fail(TransferError(.cannotConnect, "Refused"))]

    @Test(
        "AFNetworking: unknown at first, then each change is reported once",
        arguments: [
            ("nothing tried", [], .unknown, []),
            ("a response", [[.head(200)]], .reachable, [.reachable]),
            ("a bad status is a response", [[.head(503)]], .reachable, [.reachable]),
            ("no connection", [refused], .notReachable, [.notReachable]),
            ("no name", [[.fail(TransferError(.cannotFindHost, "?"))]], .notReachable, [.notReachable]),
            ("a rejected certificate is no evidence", [[.fail(TransferError(.untrustedRoot, "?"))]], .unknown, []),
            ("a lost connection is no evidence", [[.fail(TransferError(.connectionLost, "?"))]], .unknown, []),
            ("the same again", [[.head(200)], [.head(200)]], .reachable, [.reachable]),
            (
                "there and back", [[.head(200)], refused, refused, [.head(404)]], .reachable,
                [.reachable, .notReachable, .reachable]
            ),
        ] as [(String, [[ScriptedTransport.Step]], Reachability, [Reachability])])
    func passive(
        rule: String, responses: [[ScriptedTransport.Step]], state: Reachability, told: [Reachability]
    ) async throws {
        let session = try Example { $0.response.serializer = .raw }.session(over: Example.transport(responses))
        let events = session.events
        for _ in responses { _ = await session.run(try session.prepare(TaskRequest()), sink: MemorySink()) }
        #expect(session.reachability == state, "\(rule)")
        await session.invalidate(cancelingTasks: true)
        let changes = await events.reduce(into: [Reachability]()) { changes, event in
            if case .reachability(let change) = event { changes.append(change) }
        }
        #expect(changes == told, "\(rule)")
    }

    @Test("AFNetworking: a request is made whatever the reachability")
    func advisory() async throws {
        let session = try Example { $0.response.serializer = .raw }
            .session(over: Example.transport([Self.refused, [.head(204)]]))
        #expect(await session.run(try session.prepare(TaskRequest()), sink: MemorySink()).numbers == [-1004])
        #expect(session.reachability == .notReachable)
        #expect(await session.run(try session.prepare(TaskRequest()), sink: MemorySink()).error == nil)
    }

    @Test(
        "AFNetworking's monitoring corresponds to probes of the upstream, by a connection or a request",
        arguments: [
            (.tcp, nil, nil, .reachable), (.tcp, TransferError(.cannotConnect, "Refused"), nil, .notReachable),
            (.http(path: "health"), nil, 204, .reachable), (.http(path: "health"), nil, 503, .notReachable),
        ] as [(ReachabilityConfiguration.Probe, TransferError?, Int?, Reachability)])
    func probes(
        probe: ReachabilityConfiguration.Probe, connecting: TransferError?, status: Int?, state: Reachability
    ) async throws {
        let example = try Example { $0.reachability.probe = probe }
        let transport = ScriptedTransport(connecting: { _ in connecting }) { _ in status.map { [.head($0)] } ?? [] }
        let session = example.session(over: transport)
        session.startMonitoring()
        // After the first probe it waits for the next.
        #expect(await example.clock.sleeps.first(1) == [.seconds(30)])
        #expect(session.reachability == state)
        session.stopMonitoring()
        _ = await example.clock.cancellations.first(1)
    }
}
