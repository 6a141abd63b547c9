import ErrandSupport
import Testing

extension Acceptance {
    @Suite("YAML bombs")
    struct YAMLBombTests {
        /// Runs a program and prints its maximum memory, in KiB, and its exit status.
        private static let measure = """
            import resource, subprocess, sys
            status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, status)
            """

        @Test(
            "Aliases that would expand to hundreds of megabytes are refused with their location, with little memory",
            .enabled(if: Errand.sanitizer != .thread))
        func aliases() async throws {
            let text = String(repeating: "x", count: 200_000)
            let aliases = Array(repeating: "*a", count: 2_000).joined(separator: ", ")
            let folder = try TemporaryFolder()
            let file = try folder.write(
                """
                sessions:
                  up: { base_url: "http://a.example/", headers: { x: &a "\(text)" } }
                schedules:
                  tick: { cron: "* * * * *", task: { session: up, path: a, parameters: { list: [\(aliases)] } } }
                """, to: "config.yaml")
            let errors = try await refuse(file)
            #expect(errors.contains("\(file):4:"), "\(errors)")
            #expect(errors.contains("more than 8388608 bytes"), "\(errors)")
        }

        @Test(
            "A value that names a large file hundreds of times is refused with its location, with little memory",
            .enabled(if: Errand.sanitizer != .thread))
        func insertedFile() async throws {
            let folder = try TemporaryFolder()
            let large = try folder.write([UInt8](repeating: 0x78, count: 1 << 20), to: "large")
            let value = String(repeating: "${file:\(large)}", count: 400)
            let file = try folder.write(
                """
                sessions:
                  up: { base_url: "http://a.example/", headers: { x: "\(value)" } }
                """, to: "config.yaml")
            let errors = try await refuse(file)
            let problem = "all values with ${…} together have more than 16777216 bytes"
            #expect(errors.contains("\(file):2:54: sessions.up.headers.x: \(problem)"), "\(errors)")
            #expect(errors.split(separator: "\n").count == 1, "\(errors)")
        }

        @Test(
            "What each session adds to a long list of all is refused where it becomes too much, with little memory",
            .enabled(if: Errand.sanitizer != .thread),
            arguments: [
                ("connection: { resolve: {", "192.0.2.1", "} }", 99, "connection.resolve: "),
                ("headers: {", "a value that is longer than a few bytes", "}", 199, "headers: "),
            ])
        func inherited(opening: String, value: String, closing: String, last: Int, setting: String) async throws {
            let common = (0..<1_000).map { "n-\($0): \(value)" }.joined(separator: ", ")
            let sessions = (0..<4_000).map { number in
                "  s\(number): { base_url: 'http://a.example/', \(opening) own-\(number): \(value) \(closing) }"
            }
            let folder = try TemporaryFolder()
            let file = try folder.write(
                """
                session_defaults: { \(opening) \(common) \(closing) }
                sessions:
                \(sessions.joined(separator: "\n"))
                """, to: "config.yaml")
            let errors = try await refuse(file)
            #expect(errors.contains("sessions.s\(last).\(setting)expected at most"), "\(errors)")
            #expect(errors.split(separator: "\n").count == 1, "\(errors)")
        }

        /// Has a configuration refused with little memory, and returns what is told of it.
        private func refuse(_ file: String) async throws -> String {
            let result = try await ChildProcess(
                "/usr/bin/env", ["python3", "-c", Self.measure, Errand.path, "check", "--config", file]
            ).result()
            let numbers = result.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            try #require(numbers.count == 2, "\(result.errors)")
            #expect(numbers[1] == 78)
            if !Errand.isSanitized { #expect(numbers[0] < 150 << 10, "KiB") }
            return result.errors
        }
    }
}
