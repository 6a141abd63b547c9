import ErrandFiles
import Foundation
import Glibc

/// The folders of backups on the medium.
enum BackupMedium {
    /// Removes an incomplete backup, as far as possible.
    static func remove(_ path: String) {
        // What is left has a name that shows that it is incomplete.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Waits until the names in a folder are on the medium.
    static func synchronize(folder: String) throws(SystemFailure) {
        try FileDescriptor(folder, O_RDONLY | O_DIRECTORY).synchronize()
    }
}
