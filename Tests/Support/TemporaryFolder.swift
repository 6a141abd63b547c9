import ErrandLocking
import Foundation

/// A folder for the files of one test, removed with its last reference.
package final class TemporaryFolder: Sendable {
    /// The path of the folder, without symbolic links: the descriptors of a process show such paths.
    package let path: String

    /// Creates an empty folder.
    package init() throws {
        let parent = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        path = "\(parent)/errand-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        remove()
    }

    /// Returns the path of a file in the folder.
    package subscript(name: String) -> String { "\(path)/\(name)" }

    /// Writes a file and creates the folders it needs.
    ///
    /// - Returns: The path of the file.
    @discardableResult
    package func write(_ content: some Sequence<UInt8>, to name: String) throws -> String {
        let path = self[name]
        try Self.write(content, at: path)
        return path
    }

    /// Writes a file at a path, and creates the folders it needs.
    package static func write(_ content: some Sequence<UInt8>, at path: String) throws {
        let file = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content).write(to: file)
    }

    /// Writes a file of text in UTF-8 and creates the folders it needs.
    ///
    /// - Returns: The path of the file.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try write(text.utf8, to: name)
    }

    /// Creates a folder in the folder.
    package func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: self[name], withIntermediateDirectories: true)
    }

    /// Returns the relative paths of all files in the folder or in a folder below it, sorted.
    package func files(below name: String = "") throws -> [String] {
        let folder = name.isEmpty ? path : self[name]
        return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { file in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(folder)/\(file)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    /// Removes the folder before the last reference is gone.
    package func remove() {
        // No test depends on the removal.
        try? FileManager.default.removeItem(atPath: path)
    }
}

extension TemporaryFolder {
    private static let leftovers = Mutex<[TemporaryFolder]>([])
    private static let removal: Int32 = atexit(removeTemporaryFolders)

    /// Removes the folder when the process ends, for folders that static properties refer to.
    package func removeAtExit() {
        Self.leftovers.withLock { $0.append(self) }
        _ = Self.removal
    }

    fileprivate static func removeLeftovers() {
        for folder in leftovers.withLock({ $0 }) { folder.remove() }
    }
}

/// The `atexit` handler: a function, because closures cannot be passed to C with a context.
private func removeTemporaryFolders() {
    TemporaryFolder.removeLeftovers()
}
