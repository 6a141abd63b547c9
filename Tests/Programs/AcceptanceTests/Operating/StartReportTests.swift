import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("The log lines of a start")
    struct StartReportTests {
        @Test("They have the version, the listeners, the sessions, the store and the risky settings")
        func report() async throws {
            let folder = try TemporaryFolder()
            var settings = GatewaySettings()
            settings.session = ["egress: { private_networks: allow }"]
            try await withGateway(settings, in: folder) { gateway in
                let started = try await gateway.process.logLine(containing: #""message":"Gateway started""#)
                for part in [
                    #""level":"notice""#, #""durability":"normal""#, #""listeners":["\#(gateway.origin)/"]"#,
                    #""sessions":2,"#, #""store":"\#(folder["./errand.db"])""#, #""tls":false"#, #""tokens":0,"#,
                    #""version":""#,
                ] { #expect(started.contains(part), "\(part)") }
                let risky = try await gateway.process.logLine(containing: #""message":"Risky settings are in force""#)
                #expect(risky.contains(#""level":"warning""#))
                #expect(risky.contains(#""settings":["store.durability: set it to full"#))
                #expect(risky.contains(#","sessions.up.egress.private_networks: set it to base_only"#))
            }
        }

        @Test("An applied reload reports the risky settings again, each in one line")
        func reload() async throws {
            let folder = try TemporaryFolder()
            var settings = GatewaySettings()
            settings.store = ["durability: full"]
            settings.session = ["security: { validate_domain: false }"]
            let gateway = try await GatewayProcess(settings, in: folder)
            settings.dispatcher = ["drain: 1s"]
            try folder.write(settings.yaml(folder), to: "config.yaml")
            let client = try gateway.client()
            #expect(try await client.reload().changed == ["dispatcher.drain"])
            #expect(await gateway.stop() == .status(0))
            let lines = await gateway.process.errors.all().split(separator: "\n").filter { $0.contains("Risky") }
            #expect(lines.count == 2)
            let part = #""settings":["sessions.up.security.validate_domain: set it to true"#
            for line in lines { #expect(line.contains(part), "\(line)") }
        }

        @Test("A gateway without sessions says so")
        func withoutSessions() async throws {
            let folder = try TemporaryFolder()
            let yaml = GatewaySettings().yaml(folder)
            let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false)
            let file = try folder.write(
                lines.prefix { $0 != "sessions:" }.joined(separator: "\n") + "\n", to: "config.yaml")
            let process = try ChildProcess(
                Errand.path, ["serve", "--config", file],
                environment: Errand.environment.merging(["XDG_RUNTIME_DIR": folder.path]) { $1 },
                directory: folder.path)
            let line = try await process.logLine(containing: #""message":"No session is configured""#)
            #expect(line.contains(#""setting":"sessions: there is none, so no task can be created; add"#), "\(line)")
            #expect(line.contains("mount your file over the one that ERRAND_CONFIG names"), "\(line)")
            process.kill(SIGTERM)
            #expect(await process.exit() == .status(0))
        }

        @Test("Without risky settings there is one line")
        func withoutRisk() async throws {
            var settings = GatewaySettings()
            settings.store = ["durability: full"]
            let gateway = try await GatewayProcess(settings, in: TemporaryFolder())
            #expect(await gateway.stop() == .status(0))
            let log = await gateway.process.errors.all()
            #expect(log.contains("Gateway started"))
            #expect(!log.contains("Risky"))
        }
    }
}
