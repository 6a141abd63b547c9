import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("The formats of the log")
    struct LogFormatTests {
        private static let message = "Configuration reloaded"

        @Test("In JSON, numbers and lists are numbers and arrays, and texts are strings")
        func json() async throws {
            let folder = try TemporaryFolder()
            var settings = GatewaySettings()
            settings.server = ["stop_delay: 5m"]
            let gateway = try await GatewayProcess(settings, in: folder)
            settings.logLevel = "info"
            try folder.write(settings.yaml(folder), to: "config.yaml")
            gateway.process.kill(SIGHUP)
            let reloaded = try await gateway.process.logLine(containing: Self.message)
            #expect(reloaded.contains(#""changed":["logging.level"]"#))

            gateway.process.kill(SIGTERM)
            _ = try await gateway.process.logLine(containing: "Stopping")
            gateway.process.kill(SIGTERM)
            let last = try await gateway.process.logLine(containing: "second signal")
            #expect(last.contains(#""signal":"SIGTERM","status":143}"#))
            #expect(await gateway.process.exit() == .status(128 + SIGTERM))
        }

        @Test("In text, the same values are name=value, in quotes if necessary")
        func text() async throws {
            let folder = try TemporaryFolder()
            var settings = GatewaySettings()
            settings.server = ["stop_delay: 5m"]
            func yaml() -> String {
                settings.yaml(folder).replacingOccurrences(of: "format: json", with: "format: text")
            }
            let file = try folder.write(yaml(), to: "config.yaml")
            let process = try ChildProcess(
                Errand.path, ["serve", "--config", file], environment: Errand.environment, directory: folder.path)
            _ = try await process.logLine(containing: " notice Listening ")
            settings.logLevel = "info"
            try folder.write(yaml(), to: "config.yaml")
            process.kill(SIGHUP)
            let reloaded = try await process.logLine(containing: Self.message)
            #expect(reloaded.hasSuffix(#" notice Configuration reloaded changed="[\"logging.level\"]""#))

            process.kill(SIGTERM)
            _ = try await process.logLine(containing: "Stopping")
            process.kill(SIGTERM)
            let last = try await process.logLine(containing: "second signal")
            #expect(last.hasSuffix(" signal=SIGTERM status=143"))
            #expect(await process.exit() == .status(128 + SIGTERM))
        }
    }
}
