import ErrandBodyFiles
import ErrandFiles
import ErrandTaskStore
import ErrandTaskStoreSQLite
import ErrandText
import Foundation
import Glibc

/// Puts a backup into the place of the store and the files of a gateway that has none.
///
/// Everything is checked before the first file is written. The database gets its name last: an interrupted restoration
/// leaves no store, and can be repeated.
struct BackupRestoration {
    /// The backup.
    let backup: BackupFolder
    /// The database of the gateway.
    let database: String
    /// The data directory of the gateway.
    let data: String
    /// True if root may restore into the folder of another user, for a gateway that runs as root.
    var allowsForeignFolder = false

    /// Checks and restores the backup.
    func run() throws -> BackupManifest {
        let manifest = try check()
        try refuseExistingStore()
        try refuseForeignFolder()
        let lock = try StoreCopy(path: database).lock()
        // No gateway can start with the store meanwhile.
        try withExtendedLifetime(lock) {
            try refuseExistingStore()
            try place()
        }
        return manifest
    }

    private func refuseExistingStore() throws {
        for path in [database, "\(database)-wal"] {
            guard try !Folder.hasEntry(at: path) else {
                throw BackupError(
                    "there is a task store at \(database); a backup is restored only where there is none")
            }
        }
    }

    /// Refuses a restoration by root into the folder of another user, whose gateway could not open the files.
    private func refuseForeignFolder() throws {
        guard geteuid() == 0, !allowsForeignFolder else { return }
        var folder = database.parentFolder
        var status = stat()
        while stat(folder, &status) != 0, folder != "/", folder != "." { folder = folder.parentFolder }
        guard status.st_uid != 0 else { return }
        throw BackupError(
            "\(folder) belongs to the user \(status.st_uid), and not to root; run it as this user, or with --as-root")
    }

    /// Creates the files, and the database last.
    private func place() throws {
        try makeFolder(data)
        let mirrors = StoreCopy.FileReference.Kind.allCases.map { kind in
            BodyFileMirror(from: backup.files(kind), to: "\(data)/\(kind.rawValue)")
        }
        for mirror in mirrors {
            if let file = try mirror.foreignFile() {
                throw BackupError(
                    "\(file) is not of this backup; a backup is restored only into an empty data directory")
            }
        }
        let claim = try claimData()
        try withExtendedLifetime(claim) {
            for mirror in mirrors {
                try mirror.run()
                try mirror.synchronize()
            }
            try copyDatabase()
        }
    }

    /// Marks the data directory as that of the restored store, which has the name of the original.
    ///
    /// - Returns: The exclusive right to the directory; `nil` for a backup of a version without names, whose store
    ///   marks it at its first start.
    /// - Throws: The directory belongs to another store.
    private func claimData() throws -> FolderClaim? {
        guard let identity = try backup.database.examine(isThorough: false).identity else {
            guard try !FolderClaim.isMarked(data) else {
                let mark = FolderClaim.markPath(in: data)
                throw BackupError(
                    """
                    \(data) belongs to another task store; use another folder, or, if that store is gone, delete \(mark)
                    """)
            }
            return nil
        }
        do throws(FolderClaim.Failure) {
            // All files that are in the directory are of this backup.
            return try FolderClaim(data, by: FolderClaim.Owner(name: identity.name, mayHaveFiles: true)) { true }
        } catch {
            throw BackupError("\(error)\(error.remedy.map { "; \($0)" } ?? "")")
        }
    }

    /// Checks the backup: its manifest, every page of its database, its schema, and its files.
    private func check() throws -> BackupManifest {
        let bytes: [UInt8]
        do {
            bytes = try FileContents.read(backup.manifest, maxBytes: 64 << 20)
        } catch {
            throw BackupError("\(backup.path) is not a complete backup: manifest.json: \(error)")
        }
        let manifest: BackupManifest
        do throws(BackupError) {
            manifest = try BackupManifest(json: bytes)
        } catch {
            throw BackupError("\(backup.path) cannot be restored: \(error)")
        }
        let facts: StoreCopy.Summary
        do throws(TaskStoreError) {
            facts = try backup.database.examine(isThorough: true)
        } catch {
            throw BackupError("\(backup.database.path): \(error.debugDescription)")
        }
        guard facts.schema == manifest.schema, facts.tasks == manifest.tasks else {
            throw BackupError("\(backup.database.path) is not the database that manifest.json describes")
        }
        let missing = try backup.missingFiles()
        guard missing.count <= manifest.missingFiles else {
            let file = missing.first.map { "\(backup.files($0.kind)) has none of the task \($0.task)" } ?? ""
            throw BackupError(
                "\(backup.path) is damaged: \(missing.count) files are missing or have another size; \(file)")
        }
        return manifest
    }

    private func copyDatabase() throws {
        let part = "\(database).restored"
        do {
            try FileManager.default.removeItem(atPath: part)
        } catch CocoaError.fileNoSuchFile {
            // The usual case: no restoration was interrupted.
        }
        do {
            try FileManager.default.copyItem(atPath: backup.database.path, toPath: part)
            guard chmod(part, 0o600) == 0 else { throw SystemFailure("chmod \(part)") }
            try FileDescriptor(part, O_RDONLY).synchronize()
            guard rename(part, database) == 0 else { throw SystemFailure("rename \(part)") }
            try BackupMedium.synchronize(folder: database.parentFolder)
        } catch {
            _ = unlink(part)
            throw error
        }
    }

    private func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
}
