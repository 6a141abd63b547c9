import ArgumentParser
import ErrandConfiguration
import ErrandFiles
import ErrandGateway
import ErrandSettings
import ErrandTaskEngine
import Foundation
import MicroHTTPServer

/// The option for the configuration file, shared by the commands that need one.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: [.customShort("c"), .customLong("config")],
        help: "The configuration file. Default: $ERRAND_CONFIG, else config.yaml.")
    var path: String?

    /// The path of the configuration file.
    var file: String {
        if let path { return path }
        let named = ProcessInfo.processInfo.environment["ERRAND_CONFIG"] ?? ""
        return named.isEmpty ? "config.yaml" : named
    }

    /// Reads and validates the file.
    ///
    /// Prints all problems to standard error and throws the exit status 78 (`EX_CONFIG` of `sysexits.h`).
    func load() throws -> LoadedConfiguration {
        do throws(ConfigurationError) {
            return try Self.loader.load(Self.contents(of: file), file: file)
        } catch {
            StandardStreams.writeError(error.description)
        }
        throw ExitCode(EX_CONFIG)
    }

    /// Reads and validates the file completely, including the tasks of schedules.
    ///
    /// Reports problems like ``load()``.
    func loadForService() async throws -> LoadedConfiguration {
        do throws(ConfigurationError) {
            let loaded = try Self.loader.load(Self.contents(of: file), file: file)
            try loaded.refuse(for: await ScheduleCheck.problems(of: loaded.configuration))
            return loaded
        } catch {
            StandardStreams.writeError(await ScheduleCheck.completing(error).description)
        }
        throw ExitCode(EX_CONFIG)
    }

    /// Reads and validates the file again, for a reload.
    ///
    /// Environment variables take precedence over the file, as at the start.
    ///
    /// - Parameters:
    ///   - inForce: The configuration in force.
    ///   - openFiles: The budget of open files determined at the start.
    func reload(
        replacing inForce: GatewayConfiguration, within openFiles: OpenFileBudget
    ) throws(ConfigurationError) -> ReloadedConfiguration {
        var loader = Self.loader
        loader.openFiles = openFiles
        return try loader.load(Self.contents(of: file), file: file, replacing: inForce)
    }

    /// The most bytes of the configuration, and of a file that it names.
    private static let maxFileBytes = 64 << 20

    private static var loader: ConfigurationLoader {
        ConfigurationLoader(
            environment: ProcessInfo.processInfo.environment,
            readFile: { try FileContents.read($0, maxBytes: maxFileBytes) },
            workingDirectory: ".".absolutePath, pathProblem: PathProbe.problem
        ) { tls in
            do throws(MicroHTTPServerError) {
                try ServerConfiguration.TLS(tls).validate()
                return nil
            } catch {
                return error.description
            }
        }
    }

    private static func contents(of file: String) throws(ConfigurationError) -> [UInt8] {
        do {
            return try FileContents.read(file, maxBytes: maxFileBytes)
        } catch {
            throw ConfigurationError(
                unreadable: file, "cannot read: \(error); name a configuration file with --config or in ERRAND_CONFIG")
        }
    }
}
