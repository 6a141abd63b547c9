import ErrandBodyFiles
import ErrandFiles
import ErrandTaskStore
import ErrandTaskStoreSQLite
import ErrandText
import ErrandTime
import Glibc

/// Makes a backup of the store and the files of a gateway, which may run.
///
/// The files are linked before the database is copied, and again afterwards: so the backup has every file of the tasks
/// in the copy, unless a task was removed meanwhile. The folder has another name until it is complete and on the
/// medium.
struct BackupWriter {
    /// The database of the gateway.
    let database: String
    /// The data directory of the gateway.
    let data: String

    /// A complete backup.
    struct Result {
        /// The facts about it.
        var manifest: BackupManifest
        /// The reasons why files are not in it, in sentences for people.
        var warnings: [String]
    }

    /// Makes a backup.
    ///
    /// - Parameter destination: The path of the folder, which must not exist.
    func write(to destination: String) throws -> Result {
        guard try Folder.hasEntry(at: database) else {
            throw BackupError("there is no task store at \(database), where store.sqlite.path leads")
        }
        guard try !Folder.hasEntry(at: destination) else { throw BackupError("\(destination) exists already") }
        // Before the work, at whose end it would fail.
        let parent = try openParent(of: destination)
        let createdAt = Timestamp.now().description
        let partial = BackupFolder(path: "\(destination).partial-\(getpid())")
        guard mkdir(partial.path, 0o700) == 0 else {
            let failure = SystemFailure("mkdir \(partial.path)")
            guard failure.number == EEXIST else { throw failure }
            throw BackupError("\(partial.path) exists: an interrupted backup has left it; remove it")
        }
        var result: Result
        do {
            result = try fill(partial, createdAt: createdAt)
            // Fails if another backup was made there meanwhile: a folder replaces empty ones only.
            guard rename(partial.path, destination) == 0 else { throw SystemFailure("rename \(partial.path)") }
        } catch {
            BackupMedium.remove(partial.path)
            throw error
        }
        do throws(SystemFailure) {
            try parent.synchronize()
        } catch {
            result.warnings.append(
                """
                the backup is complete, but a power failure may remove it, or its name: \
                \(destination.parentFolder) could not be put on the medium (\(error)); copy the backup to another disk
                """)
        }
        return result
    }

    /// Opens the folder that gets the backup, whose names are to be put on the medium.
    private func openParent(of destination: String) throws -> FileDescriptor {
        let folder = destination.parentFolder
        do throws(SystemFailure) {
            return try FileDescriptor(folder, O_RDONLY | O_DIRECTORY)
        } catch {
            guard error.number == EACCES else { throw error }
            throw BackupError(
                """
                \(folder) is not readable by this user, which is needed to put the name of the backup on the medium; \
                allow it, or choose another folder
                """)
        }
    }

    private func fill(_ backup: BackupFolder, createdAt: String) throws -> Result {
        let mirrors = StoreCopy.FileReference.Kind.allCases.map { kind in
            (kind, BodyFileMirror(from: "\(data)/\(kind.rawValue)", to: backup.files(kind)))
        }
        for (_, mirror) in mirrors { try mirror.run() }
        try backup.database.write(from: database)
        for (_, mirror) in mirrors { try mirror.run() }
        let facts = try backup.database.examine(isThorough: false)
        guard let schema = facts.schema else { throw BackupError("the task store at \(database) is empty") }
        var manifest = BackupManifest(
            createdAt: createdAt, version: Versions.errand, schema: schema, tasks: facts.tasks)
        let missing = try backup.missingFiles()
        manifest.missingFiles = missing.count
        for (kind, mirror) in mirrors {
            let extent = try mirror.extent()
            switch kind {
            case .bodies: manifest.bodies = extent
            case .contents: manifest.contents = extent
            }
        }
        for (_, mirror) in mirrors { try mirror.synchronize() }
        try FileDescriptor(backup.database.path, O_RDONLY).synchronize()
        let file = try FileDescriptor(backup.manifest, O_WRONLY | O_CREAT | O_EXCL)
        try file.write(manifest.json)
        try file.synchronize()
        try BackupMedium.synchronize(folder: backup.path)
        return Result(manifest: manifest, warnings: try warnings(about: missing))
    }

    /// Returns the warnings about missing files: those of tasks that were removed or ended since the copy, and those
    /// that the gateway has lost.
    private func warnings(about missing: [StoreCopy.FileReference]) throws -> [String] {
        guard !missing.isEmpty else { return [] }
        let wanted = Set(missing)
        var lost: [StoreCopy.FileReference] = []
        try StoreCopy(path: database).forEachFile { file in
            if wanted.contains(file) { lost.append(file) }
        }
        var warnings: [String] = []
        if missing.count > lost.count {
            warnings.append(
                "files of tasks that were removed or ended meanwhile are not included: \(missing.count - lost.count)")
        }
        if let file = lost.first {
            warnings.append(
                """
                files are missing in \(data) or have another size, and cannot be included: \(lost.count), such as that \
                of the task \(file.task) in \(file.kind.rawValue)
                """)
        }
        return warnings
    }
}
