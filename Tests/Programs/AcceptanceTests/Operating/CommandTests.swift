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
            default_session: none
            sessions:
              up: { base_url: "ftp://example.com/" }
              fine: { base_url: "http://127.0.0.1/" }
            schedules:
              noon: { cron: 0 12 * * *, task: { session: fine, priority: 11 } }
            """

        @Test(
            """
            An invalid configuration starts nothing: status 78, and each wrong value, reference and scheduled task with \
            its location
            """,
            arguments: ["serve", "check"])
        func wrongConfiguration(command: String) async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(Self.wrong, to: "config.yaml")
            let result = try await Errand.run(command, "--config", file)
            #expect(result.exit == .status(78))
            for place in [
                "\(file):3:3: server.max_jsn:", "\(file):5:21: session_defaults.timeouts.idle:",
                "\(file):6:18: default_session:", "\(file):8:19: sessions.up.base_url:",
                "\(file):11:62: schedules.noon.task.priority:",
            ] {
                #expect(result.errors.contains(place), "\(result.errors)")
            }
            #expect(result.errors.contains("max_json"))
            #expect(result.output == "")
        }

        @Test("Output that cannot be written is an error; a reader that has left ends the command by SIGPIPE")
        func lostOutput() async throws {
            for (command, message) in [
                (
                    #""$0" config --schema > /dev/full"#,
                    "errand: cannot write all of the output: No space left on device\n"
                ),
                (#"{ "$0" config --schema; echo $? >&2; } | :"#, "141\n"),
            ] {
                let result = try await ChildProcess(
                    "/bin/sh", ["-c", command, Errand.path], environment: Errand.environment
                ).result()
                #expect(result.errors == message)
            }
        }

        @Test("The fields of a callback that is not valid are shown with escapes for control characters")
        func forgedCallback() async throws {
            let folder = try TemporaryFolder()
            let headers = try folder.write(
                "webhook-id: \u{1B}[2Jvalid\nwebhook-timestamp: 1\nwebhook-signature: v1,AAAA\n", to: "headers")
            let body = try folder.write("{}", to: "body")
            let result = try await Errand.run(
                "verify-callback", "--headers", headers, "--ignore-age", body,
                environment: ["ERRAND_CALLBACK_SECRET": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])
            #expect(result.exit == .status(1))
            #expect(result.errors.hasPrefix("not valid: "), "\(result.errors)")
            #expect(result.errors.contains(#"webhook-id: "\x1B[2Jvalid""#), "\(result.errors)")
            #expect(!result.errors.contains("\u{1B}"))
        }

        @Test("A missing file, or one that is not YAML, is status 78 too")
        func unreadable() async throws {
            let folder = try TemporaryFolder()
            let missing = try await Errand.run("check", "--config", folder["nothing.yaml"])
            #expect(missing.exit == .status(78))
            #expect(missing.errors.contains("nothing.yaml:1:1: cannot read: No such file or directory; name a"))
            let folderItself = try await Errand.run("check", "--config", folder.path)
            #expect(folderItself.exit == .status(78))
            #expect(folderItself.errors.contains("cannot read: Is a directory; name a"))
            let broken = try await Errand.run(
                "check", "--config", folder.write("server:\n\tlisten: x\n", to: "broken.yaml"))
            #expect(broken.exit == .status(78))
            #expect(broken.errors.contains("broken.yaml:2:1:"))
        }

        @Test("A named pipe without a writer, as the configuration or as a file that it names, ends the check in time")
        func namedPipe() async throws {
            let folder = try TemporaryFolder()
            let pipe = folder["pipe"]
            try #require(mkfifo(pipe, 0o600) == 0)
            let file = try await Errand.run("check", "--config", pipe)
            #expect(file.exit == .status(78))
            #expect(file.errors.contains("\(pipe):1:1: cannot read: nothing was written to it within 5s; name a"))
            let token = try await Errand.run(
                "check", "--config", folder.write("sessions: {}\n", to: "config.yaml"),
                environment: ["ERRAND_TOKEN_FILE": pipe])
            #expect(token.exit == .status(78))
            #expect(token.errors.contains("nothing was written to it within 5s"), "\(token.errors)")
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

        @Test("check prints ok and a summary; the environment names the file, and takes precedence over its settings")
        func check() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(GatewaySettings().yaml(folder), to: "other.yaml")
            let environment = ["ERRAND_CONFIG": file, "ERRAND_LISTEN": "127.0.0.1:4711"]
            let checked = try await Errand.run("check", environment: environment)
            #expect(checked.exit == .status(0))
            let expected = """
                \(file): ok
                listeners: http://127.0.0.1:4711/
                tokens: 0
                store: \(folder["./errand.db"]) (durability normal)
                files: \(folder["./data"])
                sessions: 2
                  up   http://127.0.0.1:1/
                  raw  http://127.0.0.1:1/
                warnings: 1

                """
            #expect(checked.output == expected)
            #expect(checked.errors.contains("store.durability"))
            let printed = try await Errand.run("config", environment: environment)
            #expect(printed.output.contains("127.0.0.1:4711"))
        }

        @Test("check refuses paths that cannot be used")
        func unusablePaths() async throws {
            let folder = try TemporaryFolder()
            try folder.write("text", to: "file")
            try folder.makeFolder("folder")
            let yaml = """
                server: { listen: [{ unix: \(folder["none/e.sock"]) }, { unix: \(folder["file"]) }] }
                store: { sqlite: { path: \(folder["folder"]) } }
                files: { data: \(folder["data"]), uploads: \(folder["file"]), downloads: \(folder["file/down"]) }
                sessions: { up: { base_url: "http://127.0.0.1/" } }

                """
            let result = try await Errand.run("check", "--config", folder.write(yaml, to: "config.yaml"))
            #expect(result.exit == .status(78))
            for problem in [
                "server.listen[0].unix: the directory of the socket does not exist; create it first",
                "server.listen[1].unix: \(folder["file"]) exists and is not a socket; remove it, or choose",
                "store.sqlite.path: expected the path of a file; \(folder["folder"]) is a directory",
                "files.uploads: \(folder["file"]) is not a directory",
                "files.downloads: \(folder["file"]) is not a directory",
            ] {
                #expect(result.errors.contains(problem), "\(result.errors)")
            }
        }

        @Test("check takes the file as an argument too, but not twice")
        func checkedArgument() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(GatewaySettings().yaml(folder), to: "other.yaml")
            let checked = try await Errand.run("check", file, environment: ["ERRAND_CONFIG": folder["none.yaml"]])
            #expect(checked.exit == .status(0))
            #expect(checked.output.hasPrefix("\(file): ok\n"))
            let twice = try await Errand.run("check", file, "--config", file)
            #expect(twice.exit == .status(64))
            #expect(twice.errors.contains("name the configuration file once"))
        }

        @Test(
            "A configuration without sessions is valid, with a warning", arguments: ["", "sessions: {callbacks: {}}"])
        func noSessions(sessions: String) async throws {
            let folder = try TemporaryFolder()
            let yaml = "store: { sqlite: { path: \(folder["errand.db"]) } }\nfiles: { data: \(folder["data"]) }\n"
            let file = try folder.write(yaml + sessions, to: "config.yaml")
            let warning = "sessions: there is none, so no task can be created; add one, such as {example: {"
            let checked = try await Errand.run("check", file)
            #expect(checked.exit == .status(0))
            #expect(checked.output.hasSuffix("sessions: 0\nwarnings: 1\n"), "\(checked.output)")
            #expect(checked.errors.hasPrefix("warning: \(file): \(warning)"), "\(checked.errors)")
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
            let bare = try await Errand.run("health", "--url", "127.0.0.1:18090")
            #expect(bare.exit == .status(64))
            #expect(bare.errors.contains("begin it with http://"), "\(bare.errors)")
        }

        @Test("health asks the running process, whatever its configuration file says meanwhile and operations need")
        func healthOfProcess() async throws {
            let folder = try TemporaryFolder()
            let runtime = ["XDG_RUNTIME_DIR": folder.path]
            let file = folder["config.yaml"]
            var settings = GatewaySettings()
            settings.auth = ["protect_operations: true", "tokens: [{ name: ci, token: very-secret-token-value }]"]
            try await withGateway(settings, in: folder, environment: runtime) { gateway in
                let refused = try await Errand.run("health", "--url", gateway.origin)
                #expect(refused.exit == .status(1))
                #expect(refused.errors.contains("protect_operations"))
                for text in ["server: { listen: 127.0.0.1:1 }\n", "server:\n\tlisten: x\n", nil] {
                    if let text {
                        try folder.write(text, to: "config.yaml")
                    } else {
                        try FileManager.default.removeItem(atPath: file)
                    }
                    let healthy = try await Errand.run("health", "--config", file, environment: runtime)
                    #expect(healthy.exit == .status(0), "\(healthy.errors)")
                    #expect(healthy.output + healthy.errors == "")
                    // The path is that of the file, however it is written.
                    let relative = try await Errand.run(
                        "health", "--config", "./config.yaml", environment: runtime, directory: folder.path)
                    #expect(relative.exit == .status(0), "\(relative.errors)")
                }
            }
            let gone = try await Errand.run("health", "--config", file, environment: runtime)
            #expect(gone.exit == .status(1))
            #expect(gone.errors.contains("no gateway runs with \(file)"))
        }

        @Test("reload tells the changed settings, those that need a restart, or the problems, and needs no token")
        func reload() async throws {
            let folder = try TemporaryFolder()
            let runtime = ["XDG_RUNTIME_DIR": folder.path]
            let file = folder["config.yaml"]
            var settings = GatewaySettings()
            settings.auth = ["tokens: [{ name: ci, token: very-secret-token-value }]"]
            func reload() async throws -> (exit: ChildProcess.Exit, output: String, errors: String) {
                try await Errand.run("reload", "--config", file, environment: runtime)
            }
            try await withGateway(settings, in: folder, environment: runtime) { _ in
                let same = try await reload()
                #expect(same.exit == .status(0), "\(same.errors)")
                #expect(same.output == "reloaded: nothing has changed\n")

                settings.logLevel = "info"
                settings.store = ["durability: full"]
                try folder.write(settings.yaml(folder), to: "config.yaml")
                let changed = try await reload()
                #expect(changed.exit == .status(0), "\(changed.errors)")
                let lines = changed.output.split(separator: "\n")
                #expect(lines == ["reloaded", "changed: logging.level", "needs a restart: store.durability"])

                try folder.write(Self.wrong, to: "config.yaml")
                let refused = try await reload()
                #expect(refused.exit == .status(78))
                #expect(refused.output == "")
                #expect(refused.errors.contains("\(file):3:3: server.max_jsn:"), "\(refused.errors)")
                #expect(refused.errors.contains("not reloaded: 5 problems"), "\(refused.errors)")
            }
            let gone = try await reload()
            #expect(gone.exit == .status(1))
            #expect(gone.errors.contains("no gateway runs with \(file)"))
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
