import Foundation

/// Looks whether a directory of the configuration can be used, without making it.
enum DirectoryProbe {
    /// What is wrong with a directory; `nil` when it can be written, or made.
    static func problem(_ path: String) -> String? {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            let url = URL(fileURLWithPath: path).standardizedFileURL
            // The root always exists, so this ends.
            return url.path == "/" ? "there is no root directory" : problem(url.deletingLastPathComponent().path)
        }
        guard isDirectory.boolValue else { return "\(path) is not a directory" }
        return FileManager.default.isWritableFile(atPath: path) ? nil : "\(path) cannot be written"
    }
}
