import Support
import Testing

extension Acceptance {
    @Suite("Compression bombs")
    struct CompressionBombTests {
        /// What it may cost: brotli, which is not asked for, becomes so large at once that libcurl itself gives up, at
        /// 64 MiB in a buffer that it doubles.
        private static func limitBytes(of bomb: CompressionBomb) -> Int {
            bomb == .brotli ? 160 << 20 : 64 << 20
        }

        @Test(
            "A few megabytes that become ten gibibytes fail at max_body with flat memory",
            .enabled(if: !Errand.isThreadSanitized), arguments: CompressionBomb.allCases)
        func stops(bomb: CompressionBomb) async throws {
            try await withUpstream(bomb.script) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin, maxBody: "8MiB")) { gateway in
                    let client = try gateway.client()
                    let before = try gateway.process.peakMemoryBytes()
                    let clock = ContinuousClock()
                    let start = clock.now
                    let task = try await client.run(#"{"session":"raw"}"#)
                    let time = clock.now - start
                    #expect(task.state == "failed")
                    #expect(task.error?.code == "body_too_large")
                    #expect(await upstream.ended.first(1) == [0])
                    // A session that has to read the content as a whole stops there too.
                    #expect(try await client.run(#"{"session":"up"}"#).error?.code == "body_too_large")
                    #expect(try await client.get("/healthz").status == 200)
                    let growth = try gateway.process.peakMemoryBytes() - before
                    print("\(bomb): stopped after \(time), \(growth >> 10) KiB more memory")
                    #expect(growth < Self.limitBytes(of: bomb))
                }
            }
        }
    }
}
