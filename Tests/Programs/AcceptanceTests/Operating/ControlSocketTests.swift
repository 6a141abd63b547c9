import ErrandCryptography
import ErrandSupport
import ErrandText
import Foundation
import Testing

extension Acceptance {
    @Suite("The control socket")
    struct ControlSocketTests {
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
            try await withGateway(in: folder, environment: shared) { gateway in
                let file = folder["config.yaml"]
                let found = try await Errand.run("reload", "--config", file, environment: shared)
                #expect(found.exit == .status(0), "\(found.errors)")
                // A gateway answers at the configured address, and it is not the one that was asked for.
                let address = ["ERRAND_LISTEN": "127.0.0.1:\(gateway.port)"]
                let elsewhere = address.merging(["XDG_RUNTIME_DIR": "", "ERRAND_CONTROL": folder["c.sock"]]) { $1 }
                for command in ["reload", "health"] {
                    let result = try await Errand.run(command, "--config", file, environment: elsewhere)
                    #expect(result.exit == .status(1), "\(command)")
                    #expect(result.errors == "no gateway runs with \(file); checked: \(folder["c.sock"])\n")
                }
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
            let own = ForeignSocket.folder(of: 0, configuration: file)
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

        @Test(
            "For root, the process of one other user is asked and named, and of those of several users none",
            .enabled(if: geteuid() == 0))
        func otherUsers() async throws {
            let folder = try TemporaryFolder()
            let file = folder["config.yaml"]
            let runtime = ["XDG_RUNTIME_DIR": folder.path]
            let one = try ForeignSocket(of: 65_534, configuration: file)
            defer { one.stop() }
            for command in ["reload", "health"] {
                let alone = try await Errand.run(command, "--config", file, environment: runtime)
                #expect(alone.exit == .status(0), "\(command)")
                #expect(alone.errors == "answered by the process of user 65534 at \(one.path)\n")
            }
            let other = try ForeignSocket(of: 65_533, configuration: file)
            defer { other.stop() }
            for command in ["reload", "health"] {
                let result = try await Errand.run(command, "--config", file, environment: runtime)
                #expect(result.exit == .status(1), "\(command)")
                #expect(result.output == "")
                #expect(
                    result.errors == """
                        processes of several users listen for commands to the gateway with \(file): \
                        \(other.path) of user 65533, \(one.path) of user 65534; choose one with --control

                        """)
            }
            let chosen = try await Errand.run("reload", "--config", file, "--control", other.path)
            #expect(chosen.exit == .status(0))
            #expect(chosen.errors == "")
            #expect(one.server.requests.events.count == 2)
            #expect(other.server.requests.events.count == 1)
        }

        @Test(
            "What answers on the socket cannot write control characters to the terminal",
            arguments: [
                (
                    "reload", "200 OK", #"{"changed":["\u001b[2Jx"],"restart_required":["y\u009b"]}"#, 0,
                    "reloaded\nchanged: \u{FFFD}[2Jx\nneeds a restart: y\u{FFFD}\n"
                ),
                (
                    "reload", "422 Unprocessable Content", #"{"detail":"a\u001bb","errors":[{"detail":"c\rd é"}]}"#, 78,
                    "c\u{FFFD}d é\nnot reloaded: 1 problem; a\u{FFFD}b\n"
                ),
                ("reload", "503 Service Unavailable", #"{"detail":"a\u202eb"}"#, 1, "not reloaded: a\u{FFFD}b\n"),
                ("health", "503 Service Unavailable", #"{"detail":"a\u001bb"}"#, 1, "not healthy: a\u{FFFD}b\n"),
            ] as [(String, String, String, Int32, String)])
        func invisible(command: String, status: String, content: String, exit: Int32, printed: String) async throws {
            let folder = try TemporaryFolder()
            let server = try ScriptedServer(unixSocket: folder["c.sock"]) { connection in
                try connection.readRequest()
                try connection.respond(status, ["Content-Type: application/json"], body: content)
            }
            defer { server.stop() }
            let result = try await Errand.run(command, "--control", folder["c.sock"])
            #expect(result.exit == .status(exit))
            #expect(result.output + result.errors == printed)
        }

        @Test(
            "A socket to which this user cannot connect is told, with the remedy",
            .enabled(if: Unprivileged.isPossible, "Permissions do not bind root"),
            arguments: ["own", "own/c.sock"], ["reload", "health"])
        func closedSocket(closed: String, command: String) async throws {
            let folder = try TemporaryFolder()
            try folder.makeFolder("own")
            let (file, path) = (folder["config.yaml"], folder["own/c.sock"])
            let server = try ScriptedServer(unixSocket: path) { _ in }
            defer { server.stop() }
            #expect(chmod(folder[closed], 0) == 0)
            // The folder is removed afterwards.
            defer { chmod(folder[closed], 0o700) }
            let result = try await Unprivileged.run(command, "--config", file, "--control", path)
            #expect(result.exit == .status(1))
            let expected = """
                no gateway was found that runs with \(file), and this user may not use \(path); run the command as \
                the user of the gateway or as root
                """
            #expect(result.errors.contains(expected), "\(result.errors)")
        }

        @Test(
            "A command of another user than that of the gateway tells which user may give it",
            .enabled("The program cannot be run as another user") { await Unprivileged.canChangeUser })
        func commandOfOtherUser() async throws {
            let folder = try TemporaryFolder()
            let shared = ["XDG_RUNTIME_DIR": ""]
            try await withGateway(in: folder, environment: shared) { _ in
                let file = folder["config.yaml"]
                let result = try await Unprivileged.run(
                    "reload", "--config", file, asUser: 65_534, environment: shared)
                #expect(result.exit == .status(1))
                let refusal = "no gateway was found that runs with \(file), and this user may not use "
                #expect(result.errors.contains(refusal), "\(result.errors)")
                #expect(result.errors.contains("run the command as the user of the gateway or as root"))
            }
        }

        @Test(
            "A folder with this user's name that another user has made is no reason to give the command as root",
            .enabled("The program cannot be run as another user") { await Unprivileged.canChangeUser })
        func squattedFolder() async throws {
            let folder = try TemporaryFolder()
            let file = folder["config.yaml"]
            let squatted = ForeignSocket.folder(of: 65_534, configuration: file)
            try FileManager.default.createDirectory(
                atPath: squatted, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            // No test depends on the removal.
            defer { try? FileManager.default.removeItem(atPath: squatted) }
            #expect(chown(squatted, 65_533, 65_533) == 0)
            let result = try await Unprivileged.run(
                "reload", "--config", file, asUser: 65_534, environment: ["XDG_RUNTIME_DIR": ""])
            #expect(result.exit == .status(1))
            #expect(result.errors.hasPrefix("no gateway runs with \(file); checked: "), "\(result.errors)")
            #expect(result.errors.contains("\(squatted)/control.sock"))
        }
    }
}

/// A process that listens in the folder of another user, where commands could expect the control socket of a gateway.
private struct ForeignSocket {
    /// The path of the socket.
    let path: String
    /// The process.
    let server: ScriptedServer
    private let folder: String

    /// Listens as root in a folder that belongs to a user.
    init(of user: UInt32, configuration file: String) throws {
        folder = Self.folder(of: user, configuration: file)
        path = "\(folder)/control.sock"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        server = try ScriptedServer(unixSocket: path) { connection in
            try connection.readRequest()
            try connection.respond("200 OK", ["Content-Type: application/json"], body: "{}")
        }
        #expect(chown(folder, user, user) == 0)
    }

    /// Stops listening, and removes the folder.
    func stop() {
        server.stop()
        // No test depends on the removal.
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Returns the folder of the control socket that a user's gateway has without a folder of its own.
    static func folder(of user: UInt32, configuration file: String) -> String {
        let name = Hexadecimal.encode(Array(SHA256.hash(Array(file.utf8)).prefix(8)))
        return "/tmp" + "/errand-\(user)-\(name)"
    }
}
