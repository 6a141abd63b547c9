import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("The commands")
    struct CommandTests {
        private static let wrong = """
            server:
              listen: 127.0.0.1:0
              max_jsn: 1MiB
            session_defaults:
              timeouts: { idle: fast }
            sessions:
              up: { base_url: "ftp://example.com/" }
            """

        @Test(
            "An invalid configuration starts nothing: status 78, every problem with its location",
            arguments: ["serve", "check"])
        func wrongConfiguration(command: String) async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(Self.wrong, to: "config.yaml")
            let result = try await Errand.run(command, "--config", file)
            #expect(result.exit == .status(78))
            for place in [
                "\(file):3:3: server.max_jsn:", "\(file):5:21: session_defaults.timeouts.idle:",
                "\(file):7:19: sessions.up.base_url:",
            ] {
                #expect(result.errors.contains(place), "\(result.errors)")
            }
            #expect(result.errors.contains("max_json"))
            #expect(result.output == "")
        }

        @Test("A missing file, or one that is not YAML, is status 78 too")
        func unreadable() async throws {
            let folder = try TemporaryFolder()
            let missing = try await Errand.run("check", "--config", folder["nothing.yaml"])
            #expect(missing.exit == .status(78))
            #expect(missing.errors.contains("nothing.yaml"))
            let broken = try await Errand.run(
                "check", "--config", folder.write("server:\n\tlisten: x\n", to: "broken.yaml"))
            #expect(broken.exit == .status(78))
            #expect(broken.errors.contains("broken.yaml:2:1:"))
        }

        @Test("The gateway listens on loopback only, unless there are tokens")
        func openWithoutTokens() async throws {
            let folder = try TemporaryFolder()
            let open = "server: { listen: \"0.0.0.0:0\" }\nsessions: { up: { base_url: \"http://127.0.0.1/\" } }\n"
            let result = try await Errand.run("check", "--config", folder.write(open, to: "config.yaml"))
            #expect(result.exit == .status(78))
            #expect(result.errors.contains("server.listen"))
            let token = ["ERRAND_TOKEN": "a-token-of-enough-characters"]
            let allowed = try await Errand.run("check", "--config", folder["config.yaml"], environment: token)
            #expect(allowed.exit == .status(0))
        }

        @Test("check prints ok; the environment names the file, and takes precedence over its settings")
        func check() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(GatewaySettings().yaml(folder), to: "other.yaml")
            let environment = ["ERRAND_CONFIG": file, "ERRAND_LISTEN": "127.0.0.1:4711"]
            let checked = try await Errand.run("check", environment: environment)
            #expect(checked.exit == .status(0))
            #expect(checked.output == "\(file): ok\n")
            let printed = try await Errand.run("config", environment: environment)
            #expect(printed.output.contains("127.0.0.1:4711"))
        }

        @Test("The output of config is a configuration with the same output, with its secrets redacted")
        func printedConfiguration() async throws {
            let folder = try TemporaryFolder()
            var settings = GatewaySettings()
            settings.auth = ["tokens: [{ name: ci, token: very-secret-token-value }]"]
            let file = try folder.write(settings.yaml(folder), to: "config.yaml")
            let first = try await Errand.run("config", "--config", file)
            #expect(first.exit == .status(0))
            #expect(!first.output.contains("very-secret"))
            #expect(first.output.contains("[redacted]"))
            // The reader has to fill in the secret again, and can leave the rest unchanged.
            let filled = first.output.replacing("[redacted]", with: "very-secret-token-value")
            let again = try await Errand.run("config", "--print", "--config", folder.write(filled, to: "again.yaml"))
            #expect(again.output == first.output, "\(again.errors)")
        }

        @Test("The schema is JSON, and the reference names every section")
        func schemaAndReference() async throws {
            let schema = try await Errand.run("config", "--schema")
            #expect(schema.exit == .status(0))
            let parsed = try #require(
                try JSONSerialization.jsonObject(with: Data(schema.output.utf8)) as? [String: Any])
            let properties = try #require(parsed["properties"] as? [String: Any])
            #expect(properties.keys.contains("sessions"))
            let reference = try await Errand.run("config", "--reference")
            #expect(reference.exit == .status(0))
            for section in properties.keys { #expect(reference.output.contains(section), "\(section)") }
        }

        @Test("health reports by its exit status whether the gateway is alive")
        func health() async throws {
            let folder = try TemporaryFolder()
            let address = try await withGateway(in: folder) { gateway in
                let healthy = try await Errand.run("health", "--url", gateway.origin)
                #expect(healthy.exit == .status(0), "\(healthy.errors)")
                let configured = try await Errand.run(
                    "health", "--config", folder["config.yaml"],
                    environment: ["ERRAND_LISTEN": "127.0.0.1:\(gateway.port)"])
                #expect(configured.exit == .status(0), "\(configured.errors)")
                return gateway.origin
            }
            let gone = try await Errand.run("health", "--url", address)
            #expect(gone.exit == .status(1))
            #expect(gone.errors.contains(address))
        }

        @Test("Wrong usage is status 64; the program and the gateway report the same version")
        func usage() async throws {
            #expect(try await Errand.run("no-such-command").exit == .status(64))
            #expect(try await Errand.run("echo", "--listen", "nowhere").exit == .status(64))
            let version = try await Errand.run("--version").output.dropLast()
            try await withGateway { gateway in
                let response = try await gateway.client().get("/version")
                #expect(response.text.contains("\"errand\":\"\(version)\""))
            }
        }
    }
}
