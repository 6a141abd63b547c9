import ArgumentParser
import ErrandConfiguration
import ErrandFiles
import ErrandTaskStoreSQLite

/// `errand restore`: puts a backup into the place of the store of a gateway.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restore a backup into an empty store.",
        discussion: """
            Checks the backup (its manifest, every page of the database, its schema and files), then creates the \
            database at store.sqlite.path and the files in files.data. It refuses to overwrite a store. The next start \
            of the gateway continues with the tasks as after a crash at the time of the backup: what happened \
            afterwards happens again, so that requests may be sent twice.

            Run it as the user of the gateway, who owns the files then. The exit status is 0, 1 after a failure, which \
            creates no store, so that the command can be repeated, and 78 for an invalid configuration.
            """)

    @OptionGroup var file: ConfigurationOption

    @Flag(help: "Restore as root into the folder of another user, for a gateway that runs as root.")
    var asRoot = false

    @Argument(help: "The folder that errand backup has written.")
    var backup: String

    func run() async throws {
        let configuration = try file.load().configuration
        let restoration = BackupRestoration(
            backup: BackupFolder(path: BackupCommand.withoutSlash(backup)),
            // A relative path of the configuration follows the working directory, which is seldom that of the service.
            // A link is not replaced: the store is where it leads.
            database: StorePath.resolved(configuration.store.sqlite.path.absolutePath),
            data: configuration.files.dataDirectory.absolutePath, allowsForeignFolder: asRoot)
        let manifest: BackupManifest
        do {
            manifest = try restoration.run()
        } catch {
            StandardStreams.writeError("not restored: \(BackupCommand.reason(of: error))")
            throw ExitCode.failure
        }
        try StandardStreams.write(
            """
            restored the backup of \(manifest.createdAt) to \(restoration.database) and \
            \(restoration.data): \(manifest.summary)
            """)
    }
}
