import ErrandSupport
import Glibc
import Testing

extension Acceptance {
    @Suite("Repeated kills")
    struct CrashTests {
        /// `make soak` has 200 rounds.
        private static let rounds = Soak.isWanted ? 200 : 4

        @Test(
            "No acknowledged task is lost, none ends twice, no callback is lost, and no request is repeated unsafely")
        func killedAgainAndAgain() async throws {
            let folder = try TemporaryFolder()
            let upstream = try CrashUpstream()
            defer { upstream.stop() }
            let settings = CrashLoad.settings(upstream.origin)
            let load = CrashLoad(seed: 20_261_121)
            for _ in 0..<Self.rounds {
                let gateway = try await GatewayProcess(settings, in: folder)
                await load.run(gateway)
                #expect(await gateway.process.exit() == .signal(SIGKILL))
            }
            try await withGateway(settings, in: folder) { gateway in
                try await load.expectKept(by: gateway.client(), upstream)
            }
            print("\(Self.rounds) rounds, \(load.promises.count) tasks, \(upstream.messages.count) messages")
        }
    }
}
