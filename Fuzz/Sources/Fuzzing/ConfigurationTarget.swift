import Configuration
import YAML

extension FuzzTarget {
    /// A whole configuration file: its problems have places, and what is printed of a good one stands for the same.
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
            // What stands in the place of a secret is none.
            try expect(printed.contains("[redacted]"), "what is printed is read: \(error) in \(printed)")
            return
        }
        try expect(ConfigurationPrinter.yaml(again.configuration) == printed, "what is printed stands for the same")
    }

    private static let loader = ConfigurationLoader(
        environment: ["HOME": "home", "SECRET": "correct-horse-battery-staple", "EMPTY": ""],
        readFile: { path in
            guard path == "/secret" else { throw BrokenPromise(description: "no such file") }
            return Array("correct-horse-battery-staple\n".utf8)
        })

    private static func judge(_ error: ConfigurationError, of input: [UInt8]) throws(BrokenPromise) {
        try expect(!error.problems.isEmpty, "a refusal says why")
        // A carriage return ends a line too, and so do three characters of Unicode (YAML 1.1 §4.2).
        let lines = input.count { $0 == 0x0A || $0 == 0x0D || $0 == 0x85 || $0 == 0xA8 || $0 == 0xA9 } + 2
        for problem in error.problems {
            try expect(!problem.message.isEmpty, "a problem says what is wrong")
            guard case .file(let mark) = problem.location else { continue }
            try expect(
                (1...lines).contains(mark.line) && mark.column >= 1, "a problem has a place in the file: \(mark)")
        }
    }
}
