import ArgumentParser
import ErrandConfiguration
import ErrandFiles
import ErrandTaskStoreSQLite

/// `errand upgrade --dry-run`: tells which migrations a start would apply to the store.
struct UpgradeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade", abstract: "Tell the version of the store, and the migrations that a start would apply.",
        discussion: """
            Changes nothing: errand serve applies the migrations when it starts. Older versions of the program cannot \
            open the store afterwards; make a backup before. The exit status is 0; 1 if the store cannot be read, such \
            as one of a newer version; 78 for an invalid configuration.
            """)

    @OptionGroup var file: ConfigurationOption

    @Flag(name: .customLong("dry-run"), help: "Required, as the start of the gateway applies migrations.")
    var isDryRun = false

    func validate() throws {
        guard isDryRun else {
            throw ValidationError("add --dry-run; errand serve applies the migrations when it starts")
        }
    }

    func run() async throws {
        let path = try file.load().configuration.store.sqlite.path.absolutePath
        let found: StoreCopy.Summary?
        do {
            found = try Folder.hasEntry(at: path) ? StoreCopy(path: path).examine(isThorough: false) : nil
        } catch {
            StandardStreams.writeError("\(path): \(BackupCommand.reason(of: error))")
            throw ExitCode.failure
        }
        guard let facts = found else {
            return try StandardStreams.write("\(path): there is no store yet; a start creates it")
        }
        let tasks = "\(facts.tasks) task\(facts.tasks == 1 ? "" : "s")"
        try StandardStreams.write("\(path): schema \(facts.schema ?? "none"), \(tasks)")
        try StandardStreams.write(
            facts.pending.isEmpty
                ? "a start applies no migration" : "a start applies: \(facts.pending.joined(separator: ", "))")
    }
}
