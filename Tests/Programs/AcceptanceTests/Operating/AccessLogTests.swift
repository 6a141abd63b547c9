import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("The access log")
    struct AccessLogTests {
        @Test("has a line for each request, without its target and query")
        func lines() async throws {
            var settings = GatewaySettings()
            settings.logLevel = "info"
            settings.logging = ["access: true"]
            try await withGateway(settings) { gateway in
                let client = try gateway.client()
                let response = try await client.get("/v1/tasks?label.secret=hidden", "X-Request-Id: first")
                #expect(response.status == 200)
                let line = try await gateway.process.logLine(containing: #""request_id":"first""#)
                for part in [
                    #""level":"info","message":"Request""#, #""method":"GET""#, #""route":"/v1/tasks""#,
                    #""status":200"#, #""bytes":\#(response.body.count)"#, #""client":"127.0.0.1""#, #""duration_ms":"#,
                ] {
                    #expect(line.contains(part), "\(line)")
                }
                #expect(try await client.get("/healthz").status == 200)
                #expect(try await client.get("/nowhere?hidden").status == 404)
                let missed = try await gateway.process.logLine(containing: #""route":"other""#)
                #expect(missed.contains(#""status":404"#))
                #expect(await gateway.stop() == .status(0))
                let all = await gateway.process.errors.all()
                #expect(!all.contains("hidden") && !all.contains("/healthz"))
            }
        }
    }
}
