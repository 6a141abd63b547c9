import ErrandCryptography
import ErrandLocking
import ErrandSupport
import ErrandText
import Foundation
import Testing

extension Acceptance {
    @Suite("Backup and restoration")
    struct BackupTests {
        /// The content of each response, larger than what the database keeps.
        private static let body = String(repeating: "content ", count: 512)
        private static let upload = ContentUpstream.content(100_000)

        /// Answers every request with ``body``.
        @Sendable private static func answer(_ connection: ScriptedConnection) throws {
            while true {
                _ = try connection.readRequest()
                try connection.respond("200 OK", ["Content-Type: text/plain"], body: body)
            }
        }

        private func settings(_ upstream: String, state: String = "first") -> GatewaySettings {
            var settings = GatewaySettings(upstream: upstream)
            settings.store = ["durability: normal", "inline_body: 1KiB"]
            settings.state = state
            return settings
        }

        @Test("Under load it has every task that was acknowledged before, with its body, and is restored elsewhere")
        func underLoad() async throws {
            let folder = try TemporaryFolder()
            let backup = folder["backup"]
            try await withUpstream(Self.answer) { upstream in
                let first = settings(upstream.origin)
                let (before, held) = try await withGateway(first, in: folder) { gateway in
                    let client = try gateway.client()
                    let upload = #""kind":"upload","path":"in","body":{"content":"later"},"start":"suspended""#
                    let held = try await client.create("{\"session\":\"raw\",\(upload)}")
                    #expect(try await client.put(Self.upload, to: held).status == 204)
                    let load = Load(gateway)
                    let clients = load.start()
                    await load.reached(100)
                    let before = (ended: load.ended, acknowledged: load.acknowledged)
                    let result = try await Errand.run("backup", backup, "--config", folder["config.yaml"])
                    #expect(result.exit == .status(0), "\(result.errors)")
                    #expect(result.output.hasPrefix("\(backup): "))
                    load.stop()
                    await clients.value
                    return (before, held)
                }
                #expect(try folder.files(below: "").allSatisfy { !$0.contains(".partial-") })

                // After the backup the first gateway loses everything.
                try FileManager.default.removeItem(atPath: folder["first"])
                let second = settings(upstream.origin, state: "second")
                let file = try folder.write(second.yaml(folder), to: "config.yaml")
                let restored = try await Errand.run("restore", backup, "--config", file)
                #expect(restored.exit == .status(0), "\(restored.errors)")
                #expect(restored.output.contains(" to \(folder["second/errand.db"]) and \(folder["second/data"]): "))
                try await withGateway(second, in: folder) { gateway in
                    let client = try gateway.client()
                    // Not all of them had ended, and none is missing.
                    for id in before.acknowledged { _ = try await client.finished(try await client.task(id)) }
                    for id in before.ended {
                        let task = try await client.task(id)
                        #expect(task.state == "succeeded")
                        #expect(try await client.get("/v1/tasks/\(id)/body").text == Self.body)
                    }
                    let waiting = try await client.task(held.id)
                    #expect(waiting.state == "suspended")
                    #expect(waiting.content?.sha256 == Hexadecimal.encode(SHA256.hash(Self.upload)))
                    _ = try await client.post("/v1/tasks/\(held.id)/resume")
                    #expect(try await client.finished(waiting).state == "succeeded")
                }
            }
        }

        @Test("It works without a running gateway; nothing is overwritten, and only a whole backup is restored")
        func refusals() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(Self.answer) { upstream in
                let first = settings(upstream.origin)
                try await withGateway(first, in: folder) { gateway async throws in
                    #expect(try await gateway.client().run(#"{"session":"raw"}"#).state == "succeeded")
                }
                func errand(_ command: String, _ path: String) async throws -> (ChildProcess.Exit, String) {
                    let result = try await Errand.run(command, path, "--config", folder["config.yaml"])
                    return (result.exit, result.errors)
                }
                #expect(try await errand("backup", folder["backup/"]) == (.status(0), ""))
                let again = try await errand("backup", folder["backup"])
                #expect(again.0 == .status(1))
                #expect(again.1.contains("exists already"))
                let nowhere = try await errand("backup", folder["missing/backup"])
                #expect(nowhere.0 == .status(1))
                #expect(nowhere.1.contains("No such file or directory"))

                let occupied = try await errand("restore", folder["backup"])
                #expect(occupied.0 == .status(1))
                #expect(occupied.1.contains("there is a task store at"))

                try folder.write(settings(upstream.origin, state: "second").yaml(folder), to: "config.yaml")
                try await damaged(folder, "manifest.json", expecting: "manifest.json: No such file or directory") { _ in
                    nil
                }
                try await damaged(folder, "manifest.json", expecting: "format is 9") { content in
                    Data(String(decoding: content, as: UTF8.self).replacing("\"format\":1", with: "\"format\":9").utf8)
                }
                try await damaged(folder, "errand.db", expecting: "errand.db") { content in
                    content.prefix(content.count / 2) + Data(repeating: 7, count: content.count / 2)
                }
                let body = try #require(try folder.files(below: "backup/bodies").first)
                try await damaged(folder, "bodies/\(body)", expecting: "1 files are missing or have another size") {
                    $0.dropLast()
                }
                #expect(!FileManager.default.fileExists(atPath: folder["second/errand.db"]))
                let files = FileManager.default
                let mark = try files.destinationOfSymbolicLink(atPath: folder["first/data/.errand-store"])
                try files.createDirectory(atPath: folder["second/data"], withIntermediateDirectories: true)
                try files.createSymbolicLink(
                    atPath: folder["second/data/.errand-store"], withDestinationPath: "another store")
                let foreign = try await errand("restore", folder["backup"])
                #expect(foreign.0 == .status(1))
                #expect(foreign.1.contains("second/data belongs to another task store"), "\(foreign.1)")
                #expect(!FileManager.default.fileExists(atPath: folder["second/errand.db"]))
                try FileManager.default.removeItem(atPath: folder["second/data/.errand-store"])
                #expect(try await errand("restore", folder["backup"]) == (.status(0), ""))
                #expect(try files.destinationOfSymbolicLink(atPath: folder["second/data/.errand-store"]) == mark)
            }
        }

        /// Changes a file of the backup, expects that it is not restored, and mends it.
        ///
        /// - Parameter change: Returns the damaged content; `nil` to remove the file.
        private func damaged(
            _ folder: TemporaryFolder, _ name: String, expecting reason: String,
            _ change: (Data) -> Data?
        ) async throws {
            let file = URL(fileURLWithPath: folder["backup/\(name)"])
            let content = try Data(contentsOf: file)
            // The file may be a hard link.
            try FileManager.default.removeItem(at: file)
            try change(content)?.write(to: file)
            let result = try await Errand.run("restore", folder["backup"], "--config", folder["config.yaml"])
            #expect(result.exit == .status(1))
            #expect(result.errors.contains(reason), "\(result.errors)")
            try content.write(to: file)
        }

        @Test(
            "A backup into a folder that its user may not read is refused before it is made",
            .enabled(if: Unprivileged.isPossible, "Permissions do not bind root"))
        func unreadableFolder() async throws {
            let folder = try TemporaryFolder()
            try folder.makeFolder("backups")
            #expect(chmod(folder["backups"], 0o300) == 0)
            // The folder is removed afterwards.
            defer { chmod(folder["backups"], 0o700) }
            try await withGateway(in: folder) { _ in
                let result = try await Unprivileged.run(
                    "backup", folder["backups/first"], "--config", folder["config.yaml"])
                #expect(result.exit == .status(1))
                let problem = "no backup: \(folder["backups"]) is not readable by this user"
                #expect(result.errors.contains(problem), "\(result.errors)")
            }
            #expect(chmod(folder["backups"], 0o700) == 0)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder["backups"])
            #expect(names.isEmpty)
        }

        @Test("A backup that is complete before the sync of its folder fails is kept, and a warning tells of it")
        func unsyncedFolder() async throws {
            let folder = try TemporaryFolder()
            let device = try await FailingDevice(in: folder)
            try folder.makeFolder("backups")
            // The end of the text is compared too: no folder below fails.
            try device.fail(.folderSync, at: "\(folder["backups"])\u{0}")
            try await withGateway(in: folder) { _ in
                let result = try await Errand.run(
                    "backup", folder["backups/first"], "--config", folder["config.yaml"],
                    environment: device.environment)
                #expect(result.exit == .status(0), "\(result.errors)")
                #expect(result.errors.contains("warning: the backup is complete, but"), "\(result.errors)")
                #expect(result.output.hasPrefix("\(folder["backups/first"]): "), "\(result.output)")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder["backups"])
            #expect(names == ["first"])
        }

        @Test("upgrade tells the schema of the store and the migrations that a start applies")
        func upgrade() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(GatewaySettings().yaml(folder), to: "config.yaml")
            let none = try await Errand.run("upgrade", "--dry-run", "--config", file)
            #expect(none.exit == .status(0))
            #expect(none.output.contains("there is no store yet"))
            // Behind a link that leads nowhere there may be a store. The message completes the relative path.
            try FileManager.default.createSymbolicLink(atPath: folder["loop.db"], withDestinationPath: "loop.db")
            let other = try folder.write("store: { sqlite: { path: loop.db } }\n", to: "other.yaml")
            let unknown = try await Errand.run("upgrade", "--dry-run", "--config", other, directory: folder.path)
            #expect(unknown.exit == .status(78))
            #expect(unknown.errors.contains("\(folder["loop.db"]) is a link that leads nowhere"), "\(unknown.errors)")
            try await withGateway(in: folder) { _ in
                let running = try await Errand.run("upgrade", "--dry-run", "--config", file)
                #expect(running.exit == .status(0), "\(running.errors)")
                #expect(running.output.contains("0 tasks\na start applies no migration"), "\(running.output)")
            }
            #expect(try await Errand.run("upgrade", "--config", file).exit == .status(64))
        }
    }
}

/// Clients that run tasks on a gateway until they are stopped.
private final class Load: Sendable {
    private let gateway: GatewayProcess
    private let state = Mutex(State())
    private let progress = Signal<Void>()

    private struct State {
        var ended: [String] = []
        var acknowledged: [String] = []
        var isOver = false
        var wanted = Int.max
    }

    init(_ gateway: GatewayProcess) {
        self.gateway = gateway
    }

    /// The tasks whose end was acknowledged.
    var ended: [String] { state.withLock { $0.ended } }

    /// The tasks whose creation was acknowledged, the ended ones among them.
    var acknowledged: [String] { state.withLock { $0.acknowledged } }

    /// Starts the clients.
    func start() -> Task<Void, Never> {
        Task {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        do {
                            let client = try self.gateway.client()
                            while !self.state.withLock({ $0.isOver }) {
                                let task = try await client.create(#"{"session":"raw"}"#)
                                self.state.withLock { $0.acknowledged.append(task.id) }
                                self.note(try await client.finished(task))
                            }
                        } catch {
                            Issue.record("a client failed: \(error)")
                            self.progress.send()
                        }
                    }
                }
            }
        }
    }

    /// Waits until a number of tasks have ended, or a client has failed.
    func reached(_ count: Int) async {
        let isReached = state.withLock { state in
            state.wanted = count
            return state.ended.count >= count
        }
        if !isReached { await progress.wait() }
    }

    /// Ends the clients after their current tasks.
    func stop() {
        state.withLock { $0.isOver = true }
    }

    private func note(_ task: TaskView) {
        let isReached = state.withLock { state in
            state.ended.append(task.id)
            return state.ended.count == state.wanted
        }
        if isReached { progress.send() }
    }
}
