import ErrandSettings
import ErrandText
import Foundation
import Glibc

/// A check whether the paths of a configuration can be used, without creating anything.
enum PathProbe {
    /// Returns the problem of a path; `nil` if it can be used.
    static func problem(_ path: String, of use: PathUse) -> String? {
        switch use {
        case .directory: directoryProblem(path, isWritten: false)
        case .writableDirectory: directoryProblem(path, isWritten: true)
        case .writableFile: fileProblem(path)
        case .socket: socketProblem(path)
        }
    }

    /// Returns the problem of a directory, which may be missing if it can be created.
    ///
    /// - Parameter isWritten: False if a directory need not be writable.
    private static func directoryProblem(_ path: String, isWritten: Bool) -> String? {
        guard let isDirectory = isDirectory(path) else {
            let url = URL(fileURLWithPath: path).standardizedFileURL
            guard url.path != "/" else { return "there is no root directory" }
            // Terminates, because the root directory always exists.
            return directoryProblem(url.deletingLastPathComponent().path, isWritten: isWritten)
        }
        guard isDirectory else { return "\(path) is not a directory" }
        return !isWritten || FileManager.default.isWritableFile(atPath: path) ? nil : "\(path) is not writable"
    }

    private static func fileProblem(_ path: String) -> String? {
        if isDirectory(path) == true { return "expected the path of a file; \(path) is a directory" }
        return directoryProblem(path.parentFolder, isWritten: true)
    }

    private static func socketProblem(_ path: String) -> String? {
        let folder = path.parentFolder
        // A path that does not exist may be a secret in the wrong place, which messages must not repeat.
        guard isDirectory(folder) != nil else { return "the directory of the socket does not exist; create it first" }
        if let problem = directoryProblem(folder, isWritten: true) { return problem }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK else { return nil }
        return "\(path) exists and is not a socket; remove it, or choose another path"
    }

    /// Returns true for a directory, false for another file, and `nil` if there is none.
    private static func isDirectory(_ path: String) -> Bool? {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else { return nil }
        return isDirectory.boolValue
    }
}
