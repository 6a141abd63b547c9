import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("A failed start")
    struct FailedStartTests {
        @Test("It sends no request: queued tasks stay queued, and are sent once by the next successful start")
        func portIsTaken() async throws {
            let folder = try TemporaryFolder()
            let gate = Gate()
            try await withUpstream(holding: gate) { upstream in
                defer { gate.open() }
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.session = ["limits: { concurrent: 1 }", "retry: { max_attempts: 9 }"]
                let first = try await GatewayProcess(settings, in: folder)
                let client = try first.client()
                _ = try await client.create(#"{"session":"up","path":"held"}"#)
                var ids: [String] = []
                for number in 0..<20 {
                    let task = try await client.create(
                        #"{"session":"up","method":"POST","path":"once/\#(number)","body":{"json":{}}}"#)
                    ids.append(task.id)
                }
                _ = await upstream.requests.first(1)
                await first.kill()
                // What was held is sent again by the start that succeeds.
                for _ in 0..<2 { gate.open() }
                let yaml = settings.yaml(folder)
                    .replacingOccurrences(of: "127.0.0.1:0", with: "127.0.0.1:\(upstream.port)")
                let taken = try folder.write(yaml, to: "taken.yaml")
                for _ in 0..<3 {
                    let failed = try await Errand.run("serve", "--config", taken)
                    #expect(failed.exit == .status(1))
                    #expect(failed.errors.contains("listening"))
                }
                #expect(upstream.requests.events.count == 1, "a failed start has sent something")
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    for id in ids {
                        let task = try await client.finished(client.task(id))
                        #expect(task.state == "succeeded")
                        #expect(task.attempts.count == 1)
                    }
                }
                let sent = upstream.requests.events.filter { $0.line.contains("/once/") }.map(\.line)
                #expect(sent.count == ids.count)
                #expect(Set(sent).count == ids.count)
            }
        }
    }
}
