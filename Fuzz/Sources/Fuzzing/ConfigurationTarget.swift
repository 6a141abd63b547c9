import ErrandConfiguration
import ErrandSettings
import ErrandYAML

extension FuzzTarget {
    /// Fuzzes a configuration file: its problems have locations, and the printed form of a valid one is equivalent.
    static let configuration = FuzzTarget("configuration", maxBytes: 4096) { input in
        let loaded: LoadedConfiguration
        do throws(ConfigurationError) {
            loaded = try loader.load(input, file: "config.yaml")
        } catch {
            try judge(error, of: input)
            return
        }
        let printed = ConfigurationPrinter.yaml(loaded.configuration)
        let again: LoadedConfiguration
        do throws(ConfigurationError) {
            again = try loader.load(Array(printed.utf8), file: "printed.yaml")
        } catch {
            // The placeholder of a secret is not itself a valid secret.
            try expect(printed.contains("[redacted]"), "the printed configuration is valid: \(error) in \(printed)")
            return
        }
        try expect(ConfigurationPrinter.yaml(again.configuration) == printed, "the printed configuration is equivalent")
    }

    private static let loader = ConfigurationLoader(
        environment: ["HOME": "home", "SECRET": "correct-horse-battery-staple", "EMPTY": ""],
        readFile: { path in
            guard path == "/secret" else { throw BrokenPromise(description: "no such file") }
            return Array("correct-horse-battery-staple\n".utf8)
        })

    private static func judge(_ error: ConfigurationError, of input: [UInt8]) throws(BrokenPromise) {
        try expect(!error.problems.isEmpty, "a rejection has a reason")
        // In YAML a carriage return and three Unicode characters also end a line (YAML 1.1 §4.2).
        let lines = input.count { $0 == 0x0A || $0 == 0x0D || $0 == 0x85 || $0 == 0xA8 || $0 == 0xA9 } + 2
        for problem in error.problems {
            try expect(!problem.message.isEmpty, "a problem has a message")
            guard case .file(let mark) = problem.location else { continue }
            try expect(
                (1...lines).contains(mark.line) && mark.column >= 1, "a problem has a place in the file: \(mark)")
        }
    }
}
