import Foundation

/// A check whether a configured directory is usable, without creating it.
enum DirectoryProbe {
    /// Returns the problem of a directory; `nil` if it can be written or created.
    static func problem(_ path: String) -> String? {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            let url = URL(fileURLWithPath: path).standardizedFileURL
            // Terminates, because the root directory always exists.
            return url.path == "/" ? "there is no root directory" : problem(url.deletingLastPathComponent().path)
        }
        guard isDirectory.boolValue else { return "\(path) is not a directory" }
        return FileManager.default.isWritableFile(atPath: path) ? nil : "\(path) is not writable"
    }
}
