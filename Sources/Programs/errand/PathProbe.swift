import ErrandSettings
import ErrandTaskStoreSQLite
import ErrandText
import Foundation
import Glibc

/// A check whether the paths of a configuration can be used, without creating anything.
enum PathProbe {
    /// Returns the problem of a path; `nil` if it can be used.
    static func problem(_ path: String, of use: PathUse) -> String? {
        switch use {
        case .directory: directoryProblem(path, isRead: true, isWritten: false)
        case .writableDirectory: directoryProblem(path, isRead: true, isWritten: true)
        case .writableFile: fileProblem(path)
        case .socket: socketProblem(path)
        }
    }

    /// Returns the problem of a directory, which may be missing if it can be created.
    ///
    /// - Parameters:
    ///   - isRead: False if the directory need not be readable, because only files of known names are used in it.
    ///   - isWritten: False if the directory need not be writable.
    private static func directoryProblem(_ path: String, isRead: Bool = false, isWritten: Bool) -> String? {
        guard let isDirectory = isDirectory(path) else {
            // The program creates what it writes to, which such a link prevents. The rest may be missing.
            if isWritten, let problem = problemOfLink(path) { return problem }
            let url = URL(fileURLWithPath: path).standardizedFileURL
            guard url.path != "/" else { return "there is no root directory" }
            // Terminates, because the root directory always exists.
            return directoryProblem(url.deletingLastPathComponent().path, isWritten: isWritten)
        }
        guard isDirectory else { return "\(path) is not a directory" }
        let files = FileManager.default
        guard files.isExecutableFile(atPath: path) else {
            return "\(path) cannot be entered by this user (permission x)"
        }
        // Directories are opened for reading, to enter, lock or synchronize them.
        guard !isRead || files.isReadableFile(atPath: path) else { return notReadable(path) }
        return !isWritten || files.isWritableFile(atPath: path) ? nil : notWritable(path)
    }

    /// Returns the problem of the file of a database, which may be missing if it can be created where a link leads.
    private static func fileProblem(_ path: String) -> String? {
        let path = isLink(path) ? StorePath.resolved(path) : path
        guard let isDirectory = isDirectory(path) else {
            return problemOfLink(path) ?? directoryProblem(path.parentFolder, isWritten: true)
        }
        guard !isDirectory else { return "expected the path of a file; \(path) is a directory" }
        let files = FileManager.default
        guard files.isReadableFile(atPath: path) else { return notReadable(path) }
        guard files.isWritableFile(atPath: path) else { return notWritable(path) }
        // The database has further files beside it.
        return directoryProblem(path.parentFolder, isWritten: true)
    }

    /// Returns the problem of a path that exists.
    private static func notReadable(_ path: String) -> String { "\(path) is not readable by this user" }

    /// Returns the problem of a path that exists.
    private static func notWritable(_ path: String) -> String { "\(path) is not writable by this user" }

    private static func socketProblem(_ path: String) -> String? {
        let folder = path.parentFolder
        // A path that does not exist may be a secret in the wrong place, which messages must not repeat.
        guard isDirectory(folder) != nil else { return "the directory of the socket does not exist; create it first" }
        if let problem = directoryProblem(folder, isWritten: true) { return problem }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK else { return nil }
        return "\(path) exists and is not a socket; remove it, or choose another path"
    }

    /// Returns the problem of a path at which nothing was found; `nil` if there is no link either.
    private static func problemOfLink(_ path: String) -> String? {
        isLink(path) ? "\(path) is a link that leads nowhere; mount or create its target" : nil
    }

    /// Returns true for a symbolic link, wherever it leads.
    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        // With a slash at its end, the path is that of the target.
        return lstat(BackupCommand.withoutSlash(path), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Returns true for a directory, false for another file, and `nil` if there is none.
    private static func isDirectory(_ path: String) -> Bool? {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else { return nil }
        return isDirectory.boolValue
    }
}
