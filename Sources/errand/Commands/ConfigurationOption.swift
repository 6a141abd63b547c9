import ArgumentParser
import Configuration
import Foundation

/// The configuration file, as every command that needs one takes it.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: [.customShort("c"), .customLong("config")],
        help: "The configuration file. Default: $ERRAND_CONFIG, else config.yaml.")
    var path: String?

    /// The file that is meant.
    var file: String {
        path ?? ProcessInfo.processInfo.environment["ERRAND_CONFIG"] ?? "config.yaml"
    }

    /// Reads and checks the file.
    ///
    /// Its problems go to standard error, all of them; then the exit status is 78 (`EX_CONFIG` of `sysexits.h`).
    func load() throws -> LoadedConfiguration {
        let loader = ConfigurationLoader(
            environment: ProcessInfo.processInfo.environment,
            readFile: { path in try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) },
            directoryProblem: DirectoryProbe.problem)
        do {
            let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: file)))
            return try loader.load(bytes, file: file)
        } catch let error as ConfigurationError {
            StandardStreams.writeError(error.description)
        } catch {
            StandardStreams.writeError("\(file): cannot be read: \(error.localizedDescription)")
        }
        throw ExitCode(EX_CONFIG)
    }
}
