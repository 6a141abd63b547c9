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
    }
}
