import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("Downloads through cuts and kills")
    struct FlakyDownloadTests {
        private static let size = Soak.isWanted ? 256 << 20 : 2 << 20
        private static let cuts = Soak.isWanted ? 100 : 15
        private static let kills = Soak.isWanted ? 20 : 3

        @Test(
            "The file is that of the upstream; with ranges, what was received is not requested again",
            arguments: [false, true], [false, true])
        func cutsAndKills(hasOddAnswers: Bool, hasDestination: Bool) async throws {
            let upstream = FlakyFileUpstream(
                Self.size, cuts: Self.cuts, stalls: Self.kills, hasOddAnswers: hasOddAnswers, seed: 3)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                var settings = GatewaySettings(upstream: server.origin)
                settings.attempts = nil
                settings.session = ["retry: { max_attempts: 200, backoff: { initial: 1ms, multiplier: 1 } }"]
                var gateway = try await GatewayProcess(settings, in: folder)
                let destination = hasDestination ? #""destination":"whole.bin""# : ""
                let task = try await gateway.client().create(
                    #"{"session":"up","kind":"download","path":"file","download":{\#(destination)}}"#)
                for kill in 1...Self.kills {
                    let offset = await upstream.stalled.first(kill)[kill - 1]
                    // What is on its way is lost with the connection.
                    let client = try gateway.client()
                    try await until { try await client.task(task.id).progress.download.completed >= offset }
                    await gateway.kill()
                    gateway = try await GatewayProcess(settings, in: folder)
                }
                let done = try await gateway.client().finished(task)
                #expect(done.state == "succeeded")
                let size = hasDestination ? done.response?.file?.size : done.response?.body?.size
                #expect(size == Self.size)
                let path =
                    hasDestination ? "data/downloads/whole.bin" : "data/bodies/\(done.id.suffix(2))/\(done.id)"
                #expect(FileManager.default.contents(atPath: folder[path]) == Data(upstream.content))
                #expect(server.requests.events.count > Self.cuts)
                #expect((upstream.versions > 1) == hasOddAnswers)
                let ratio = Double(upstream.served) / Double(Self.size)
                print("\(server.requests.events.count) requests, \(upstream.versions) versions, ratio \(ratio)")
                if !hasOddAnswers { #expect(ratio <= Self.ratioLimit) }
                #expect(await gateway.stop() == .status(0))
            }
        }

        /// A kill may cost what its response has sent, at most 1.5 shares of a cut.
        private static let ratioLimit = Soak.isWanted ? 1.1 : 1 + 1.5 * Double(kills) / Double(cuts)
    }
}
