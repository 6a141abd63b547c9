import ErrandCryptography
import ErrandSupport
import ErrandText
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

        @Test("A second gateway leaves the control socket to the first; that of a killed one is replaced")
        func controlSockets() async throws {
            let folder = try TemporaryFolder()
            let control = ["ERRAND_CONTROL": folder["c.sock"]]
            let killed = try await GatewayProcess(GatewaySettings(), in: folder, environment: control)
            await killed.kill()
            let left = try await Errand.run("health", "--control", folder["c.sock"])
            #expect(left.exit == .status(1))
            try await withGateway(in: folder, environment: control) { _ in
                var other = GatewaySettings()
                other.state = "other"
                try await withGateway(other, in: folder, environment: control) { second in
                    _ = try await second.process.logLine(containing: "No control socket")
                }
                let healthy = try await Errand.run("health", "--control", folder["c.sock"])
                #expect(healthy.exit == .status(0), "\(healthy.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: folder["c.sock"]))
        }

        @Test("A control socket that the environment names is the only one that a command tries, also for root")
        func chosenControlSocket() async throws {
            let folder = try TemporaryFolder()
            // Without a folder of its user the gateway uses that of temporary files.
            let shared = ["XDG_RUNTIME_DIR": ""]
            try await withGateway(in: folder, environment: shared) { _ in
                let file = folder["config.yaml"]
                let found = try await Errand.run("reload", "--config", file, environment: shared)
                #expect(found.exit == .status(0), "\(found.errors)")
                let elsewhere = try await Errand.run(
                    "reload", "--config", file, environment: shared.merging(["ERRAND_CONTROL": folder["c.sock"]]) { $1 }
                )
                #expect(elsewhere.exit == .status(1))
            }
        }

        @Test("Only its user can connect to the control socket; a folder that others may change is not used")
        func controlSocketAccess() async throws {
            let folder = try TemporaryFolder()
            func sockets() throws -> [String] {
                let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
                return files.filter { $0.hasSuffix("/control.sock") }
            }
            func mode(_ name: String) throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: folder[name])[.posixPermissions] as? Int
            }
            let gateway = try await GatewayProcess(GatewaySettings(), in: folder)
            let socket = try #require(try sockets().first)
            let own = String(socket.dropLast("/control.sock".count))
            #expect(try mode(socket) == 0o600)
            #expect(try mode(own) == 0o700)
            #expect(await gateway.stop() == .status(0))
            #expect(!FileManager.default.fileExists(atPath: folder[own]))

            try FileManager.default.createDirectory(atPath: folder[own], withIntermediateDirectories: false)
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder[own])
            try await withGateway(in: folder) { _ in
                #expect(try sockets().isEmpty)
                let healthy = try await Errand.run("health", "--config", folder["config.yaml"])
                #expect(healthy.exit == .status(0), "it is in another place: \(healthy.errors)")
            }
        }

        @Test("For root, a socket in a folder of another user with root's name is none", .enabled(if: geteuid() == 0))
        func foreignControlSocket() async throws {
            let folder = try TemporaryFolder()
            let file = folder["config.yaml"]
            let name = Hexadecimal.encode(Array(SHA256.hash(Array(file.utf8)).prefix(8)))
            let own = "/tmp" + "/errand-0-\(name)"
            try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(atPath: own) }
            #expect(chown(own, 65534, 65534) == 0)
            let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            defer { close(listener) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(own)/control.sock".utf8) }
            let isBound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(listener, 1) == 0
                }
            }
            #expect(isBound)
            let health = try await Errand.run("health", "--config", file)
            #expect(health.exit == .status(1))
            #expect(accept(listener, nil, nil) == -1, "The command has connected")
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
