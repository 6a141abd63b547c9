import ArgumentParser
import ErrandConfiguration
import ErrandFiles
import ErrandTaskStore
import Glibc

/// `errand backup`: copies the store and the files of a gateway while it runs.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Back up the tasks of a gateway, which may run.",
        discussion: """
            Writes a folder with the database of store.sqlite.path and the bodies and contents of files.data, as they \
            were at one moment: it has every task that was accepted before the command began. Files are hard links if \
            the folder is on the same file system. It gets its name when it is complete; a folder *.partial-* is left \
            of an interrupted backup and can be removed.

            The backup contains neither the configuration nor its keys (store.encryption_keys), nor the files of \
            downloads. Run it as the user of the gateway. The exit status is 0, 1 after a failure, 78 for an invalid \
            configuration.
            """)

    @OptionGroup var file: ConfigurationOption

    @Argument(help: "The folder to create.")
    var destination: String

    func run() async throws {
        let configuration = try file.load().configuration
        let writer = BackupWriter(
            database: configuration.store.sqlite.path.absolutePath,
            data: configuration.files.dataDirectory.absolutePath)
        let destination = BackupCommand.withoutSlash(destination)
        let result: BackupWriter.Result
        do {
            result = try writer.write(to: destination)
        } catch {
            StandardStreams.writeError("no backup: \(BackupCommand.reason(of: error))")
            throw ExitCode.failure
        }
        for warning in result.warnings { StandardStreams.writeError("warning: \(warning)") }
        try StandardStreams.write("\(destination): \(result.manifest.summary)")
    }

    /// Returns a path without slashes at its end.
    static func withoutSlash(_ path: String) -> String {
        var path = path[...]
        while path.count > 1, path.last == "/" { path = path.dropLast() }
        return String(path)
    }

    /// Returns the reason of an error with the system's words, and the remedy for another user's files.
    static func reason(of error: any Error) -> String {
        if let failure = error as? SystemFailure, failure.number == EACCES {
            return "\(failure); run the command as the user of the gateway"
        }
        return (error as? TaskStoreError)?.debugDescription ?? "\(error)"
    }
}
