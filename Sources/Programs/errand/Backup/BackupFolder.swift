import ErrandBodyFiles
import ErrandTaskStoreSQLite

/// The parts of a backup: a folder with the database, the files that tasks refer to, and a manifest.
struct BackupFolder {
    /// The path of the folder.
    let path: String

    /// The database.
    var database: StoreCopy { StoreCopy(path: "\(path)/errand.db") }
    /// The manifest, which is written last: a folder without it is not a backup.
    var manifest: String { "\(path)/manifest.json" }

    /// Returns the folder of the files of a kind.
    func files(_ kind: StoreCopy.FileReference.Kind) -> String { "\(path)/\(kind.rawValue)" }

    /// Returns the files that tasks refer to and the backup does not have with their size.
    func missingFiles() throws -> [StoreCopy.FileReference] {
        var missing: [StoreCopy.FileReference] = []
        try database.forEachFile { file in
            if BodyFileMirror.bytes(of: file.task, below: files(file.kind)) != file.bytes { missing.append(file) }
        }
        return missing
    }
}

/// The reason why a backup could not be made or restored.
struct BackupError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
