import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("A blocked reader of the log")
    struct LogReaderTests {
        /// The report of dropped lines.
        private struct DroppedLines: Decodable {
            var auditLines: Int
        }

        private static let count = Errand.isSanitized ? 2000 : 10_000

        /// Runs the program, forwards its log until it listens, and then reads no more until there is a line in the
        /// FIFO of the variable `GO`.
        private static let launcher = [
            "/bin/bash", "-c",
            """
            exec "$@" 2> >(
                while read -r line; do
                    printf '%s\\n' "$line" >&2
                    if [[ $line == *'"Listening"'* ]]; then break; fi
                done
                read -r -t 3600 <>"$GO"
                exec cat >&2
            )
            """, "bash",
        ]

        private static func withStuckReader(
            environment: [String: String] = [:],
            _ body: (_ gateway: GatewayProcess, _ resumeReader: () throws -> Void) async throws -> Void
        ) async throws {
            let folder = try TemporaryFolder()
            try #require(mkfifo(folder["go"], 0o600) == 0)
            var settings = GatewaySettings()
            settings.logLevel = "info"
            let gateway = try await GatewayProcess(
                settings, in: folder, launcher: launcher,
                environment: environment.merging(["GO": folder["go"]]) { $1 })
            // Open during the test: written data stay until they are read.
            let fifo = try #require(FileHandle(forUpdatingAtPath: folder["go"]))
            try await body(gateway) { try fifo.write(contentsOf: Data("go\n".utf8)) }
        }

        private static func create(_ count: Int, _ gateway: GatewayProcess) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let client = try gateway.client()
                        for _ in 0..<count / 4 { _ = try await client.create(#"{"session":"up","start":"suspended"}"#) }
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test("Ten thousand tasks are created all the same; then every audit line is present, or counted as dropped")
        func creates() async throws {
            try await Self.withStuckReader { gateway, resumeReader in
                try await Self.create(Self.count, gateway)
                try resumeReader()
                #expect(await gateway.stop() == .status(0))
                let lines = await gateway.process.errors.all().split(separator: "\n")
                let dropped = try lines.filter { $0.contains("Log lines dropped") }
                    .map { try TaskView.decoder.decode(DroppedLines.self, from: Data($0.utf8)).auditLines }
                let told = lines.count { $0.contains("Audit: request for a change") }
                #expect(told > 272)
                #expect(told + dropped.reduce(0, +) == Self.count)
                #expect(lines.last?.contains("Stopped") == true)
            }
        }

        @Test("The gateway stops although its log is not read")
        func stop() async throws {
            // The program's own patience with the reader of its log is the subject.
            try await Self.withStuckReader(environment: ["ERRAND_TEST_PATIENCE": ""]) { gateway, resumeReader in
                try await Self.create(1000, gateway)
                #expect(await gateway.stop() == .status(0))
                try resumeReader()
                _ = await gateway.process.errors.all()
            }
        }
    }
}
