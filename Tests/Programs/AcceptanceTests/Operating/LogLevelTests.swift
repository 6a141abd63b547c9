import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("SIGUSR1 changes the log level")
    struct LogLevelTests {
        /// Sends the signal, and waits for the line that names the new level.
        private func raise(_ gateway: GatewayProcess, to level: String) async throws {
            gateway.process.kill(SIGUSR1)
            let line = try await gateway.process.logLine(containing: #""log_level":"\#(level)""#)
            #expect(line.contains(#""level":"notice""#))
            #expect(line.contains(#""message":"Log level changed by SIGUSR1""#))
        }

        @Test("Each signal adds a level, and the one after trace restores the configured level")
        func levels() async throws {
            try await withGateway { gateway in
                let client = try gateway.client()
                _ = try await client.post("/v1/sessions/up/suspend", "X-Request-Id: silent")
                try await raise(gateway, to: "info")
                _ = try await client.post("/v1/sessions/up/resume", "X-Request-Id: logged")
                let audit = try await gateway.process.logLine(containing: #""request_id":"logged""#)
                #expect(audit.contains(#""level":"info""#))
                for level in ["debug", "trace", "notice"] { try await raise(gateway, to: level) }
                _ = try await client.post("/v1/sessions/up/suspend", "X-Request-Id: silent")
                #expect(await gateway.stop() == .status(0))
                #expect(await !gateway.process.errors.all().contains(#""request_id":"silent""#))
            }
        }

        @Test("A reload restores the configured level")
        func reload() async throws {
            let folder = try TemporaryFolder()
            let settings = GatewaySettings()
            try await withGateway(settings, in: folder) { gateway in
                for level in ["info", "debug"] { try await raise(gateway, to: level) }
                var other = settings
                other.logLevel = "error"
                try folder.write(other.yaml(folder), to: "config.yaml")
                #expect(try await gateway.client().reload().changed == ["logging.level"])
                // The signal itself is logged although its level is below the new one.
                try await raise(gateway, to: "warning")
            }
        }
    }
}
