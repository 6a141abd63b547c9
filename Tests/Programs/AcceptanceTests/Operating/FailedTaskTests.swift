import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("The log of a failed task")
    struct FailedTaskTests {
        @Test("names the task, its request without the query, and the failure")
        func line() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream({ connection in
                while true {
                    _ = try connection.readRequest()
                    try connection.respond("404 Not Found", ["Content-Type: application/json"], body: "{}")
                }
            }) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin), in: folder) { gateway async throws in
                    let task = try await gateway.client().run(
                        #"{"session":"up","path":"invoices?token=secret","labels":{"team":"billing"}}"#)
                    #expect(task.state == "failed")
                    let line = try await gateway.process.logLine(containing: #""message":"Task failed""#)
                    for part in [
                        #""level":"warning""#, #""task":"\#(task.id)""#, #""session":"up""#, #""status":404"#,
                        #""code":"unacceptable_status""#, #""attempts":1"#, #"/invoices""#,
                        #""labels":{"team":"billing"}"#,
                    ] {
                        #expect(line.contains(part), "\(line)")
                    }
                    #expect(!line.contains("secret"))
                }
            }
        }
    }
}
