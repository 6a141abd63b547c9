import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Compression bombs")
    struct CompressionBombTests {
        @Test(
            "A few megabytes that expand to ten gibibytes fail at max_body with constant memory",
            .enabled(if: Errand.sanitizer != .thread), arguments: CompressionBomb.allCases)
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
                    // Brotli is neither offered nor decoded.
                    let code = bomb == .brotli ? "bad_content_encoding" : "body_too_large"
                    #expect(task.error?.code == code)
                    #expect(await upstream.ended.first(1) == [0])
                    // A session that reads the whole content stops there too.
                    #expect(try await client.run(#"{"session":"up"}"#).error?.code == code)
                    #expect(try await client.get("/healthz").status == 200)
                    let growth = try gateway.process.peakMemoryBytes() - before
                    print("\(bomb): stopped after \(time), \(growth >> 10) KiB more memory")
                    if !Errand.isSanitized { #expect(growth < 64 << 20) }
                }
            }
        }
    }
}
