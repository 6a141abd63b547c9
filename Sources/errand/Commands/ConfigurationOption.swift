import ArgumentParser
import Configuration
import Foundation
import Gateway

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
        do throws(ConfigurationError) {
            return try Self.loader.load(Self.contents(of: file), file: file)
        } catch {
            StandardStreams.writeError(error.description)
        }
        throw ExitCode(EX_CONFIG)
    }

    /// Reads and checks the file with everything in it that a gateway would be asked to do: the tasks of schedules too.
    ///
    /// Its problems go where those of ``load()`` go.
    func loadForService() async throws -> LoadedConfiguration {
        let loaded = try load()
        do throws(ConfigurationError) {
            try loaded.refuse(for: await ScheduleCheck.problems(of: loaded.configuration))
            return loaded
        } catch {
            StandardStreams.writeError(error.description)
        }
        throw ExitCode(EX_CONFIG)
    }

    /// Reads and checks the file once more, to replace what is in force.
    ///
    /// The environment is that of the process, and wins over the file as it did at the start.
    func reload(replacing inForce: GatewayConfiguration) throws(ConfigurationError) -> ReloadedConfiguration {
        try Self.loader.load(Self.contents(of: file), file: file, replacing: inForce)
    }

    private static var loader: ConfigurationLoader {
        ConfigurationLoader(
            environment: ProcessInfo.processInfo.environment,
            readFile: { path in
                do {
                    return try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
                } catch {
                    throw UnreadableFile(error)
                }
            },
            directoryProblem: DirectoryProbe.problem)
    }

    private static func contents(of file: String) throws(ConfigurationError) -> [UInt8] {
        do {
            return try [UInt8](Data(contentsOf: URL(fileURLWithPath: file)))
        } catch {
            throw ConfigurationError(unreadable: file, "cannot be read: \(error.localizedDescription)")
        }
    }
}

/// Why a file cannot be read, as the system says it.
private struct UnreadableFile: Error, CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        let error = error as NSError
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        description =
            cause.domain == NSPOSIXErrorDomain
            ? String(cString: strerror(Int32(truncatingIfNeeded: cause.code))) : error.localizedDescription
    }
}
