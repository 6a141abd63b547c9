import ErrandLocking
import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("Durability of acknowledged tasks")
    struct AcknowledgedTaskTests {
        /// `ERRAND_TASKS` sets another number of tasks.
        private static let taskCount =
            ProcessInfo.processInfo.environment["ERRAND_TASKS"].flatMap { Int($0) }
            ?? (Errand.isSanitized ? 1000 : 10_000)
        private static let connectionCount = 64

        @Test("Every task of 64 clients succeeds; after kill -9 in the middle none is lost or duplicated")
        func killedInTheMiddle() async throws {
            let folder = try TemporaryFolder()
            try await withEcho { echo in
                var settings = GatewaySettings(upstream: echo.origin, store: ["durability: full"])
                // Interrupted attempts are repeated.
                settings.attempts = nil
                settings.session = ["limits: { concurrent: 64 }"]
                let clock = ContinuousClock()
                let start = clock.now
                let gateway = try await GatewayProcess(settings, in: folder)
                let before = await load(gateway, tasks: Self.taskCount) { acknowledged in
                    if acknowledged == Self.taskCount / 2 { gateway.process.kill(SIGKILL) }
                }
                #expect(await gateway.process.exit() == .signal(SIGKILL))
                #expect(before.count >= Self.taskCount / 2)
                #expect(before.count < Self.taskCount)

                try await withGateway(settings, in: folder) { gateway in
                    let after = await load(gateway, tasks: Self.taskCount - before.count) { _ in }
                    #expect(after.count == Self.taskCount - before.count)
                    try await expectAllSucceeded(before + after, gateway)
                }
                print("\(Self.taskCount) tasks, killed after \(before.count): \(clock.now - start)")
            }
        }

        /// Creates tasks over many connections at once, until all are created or the gateway is killed.
        ///
        /// - Parameter onAcknowledged: Called with the number of tasks acknowledged so far.
        /// - Returns: The acknowledged identifiers.
        private func load(
            _ gateway: GatewayProcess, tasks: Int, onAcknowledged: @escaping @Sendable (Int) -> Void
        ) async -> [String] {
            let tally = Tally(tasks)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.connectionCount {
                    group.addTask {
                        do {
                            let client = try gateway.client()
                            while let number = tally.next() {
                                let task = try await client.create(
                                    #"{"session":"up","path":"anything/\#(number)","labels":{"n":"\#(number)"}}"#)
                                onAcknowledged(tally.acknowledge(task.id))
                            }
                        } catch {
                            // The gateway was killed: only the acknowledgements so far count.
                        }
                    }
                }
            }
            return tally.acknowledged
        }

        /// The tasks created by several clients.
        private final class Tally: Sendable {
            private let state: Mutex<(left: Range<Int>, acknowledged: [String])>

            init(_ count: Int) {
                state = Mutex((0..<count, []))
            }

            var acknowledged: [String] { state.withLock { $0.acknowledged } }

            /// Returns the number of the next task to create; `nil` when all are assigned.
            func next() -> Int? {
                state.withLock { $0.left.popFirst() }
            }

            /// - Returns: The number of acknowledged tasks so far.
            func acknowledge(_ id: String) -> Int {
                state.withLock { state in
                    state.acknowledged.append(id)
                    return state.acknowledged.count
                }
            }
        }

        private func expectAllSucceeded(_ acknowledged: [String], _ gateway: GatewayProcess) async throws {
            let client = try gateway.client()
            var listed: [String: TaskView] = [:]
            try await client.forEachTask { (task: TaskView) in
                #expect(listed.updateValue(task, forKey: task.id) == nil, "\(task.id) is listed twice")
            }
            let missing = acknowledged.filter { listed[$0] == nil }
            #expect(missing.isEmpty, "acknowledged and lost: \(missing.prefix(5))")
            // Stored just before the kill, without a response: at most one for each connection.
            #expect(listed.count <= acknowledged.count + Self.connectionCount)
            for task in listed.values.sorted(by: { $0.id < $1.id }) {
                let task = try await client.finished(task)
                guard task.state == "succeeded", task.response?.status == 200 else {
                    Issue.record("\(task.id) is \(task.state): \(String(describing: task.error))")
                    return
                }
            }
        }

        @Test("The response to a durable create follows a sync of the written data", .enabled(if: Strace.isThere))
        func syncBeforeResponse() async throws {
            let folder = try TemporaryFolder()
            let trace = folder["trace"]
            let settings = GatewaySettings(store: ["durability: full"])
            var process: ChildProcess?
            try await withGateway(settings, in: folder, launcher: Strace.command(writing: trace)) { gateway in
                let client = try gateway.client()
                for _ in 0..<3 { _ = try await client.create(#"{"session":"up","path":"x"}"#) }
                process = gateway.process
            }
            // The tracer keeps the pipe open until it has written everything.
            _ = await process?.errors.all()
            let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").map(String.init)
            var responses = 0
            var isSynced = false
            for line in lines {
                if Strace.isSync(line, of: "errand.db-wal") {
                    isSynced = true
                } else if line.contains("202 Accepted") {
                    #expect(isSynced, "a response without a sync since the one before")
                    isSynced = false
                    responses += 1
                }
            }
            #expect(responses == 3)
        }
    }
}

/// `strace`, which records the order of a process's system calls.
enum Strace {
    static let path = "/usr/bin/strace"

    static let isThere = FileManager.default.isExecutableFile(atPath: path) && !Errand.isSanitized

    /// Returns the launcher that traces a command, and writes its syncs and the beginnings of its responses to a file.
    static func command(writing file: String) -> [String] {
        [
            path, "--daemonize", "--follow-forks", "--decode-fds=path", "--string-limit=32", "--signal=none",
            "--output=\(file)",
            "--trace=fsync,fdatasync,sendto,sendmsg,writev,write",
        ]
    }

    /// Returns true for a successful sync of a file.
    static func isSync(_ line: String, of name: String) -> Bool {
        (line.contains("fdatasync(") || line.contains("fsync(")) && line.contains(name)
    }
}
