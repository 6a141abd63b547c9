import FoundationEssentials

/// A folder for the files of one test; gone when nobody holds it.
final class TemporaryFolder: Sendable {
    /// Its path.
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/errand-acceptance-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // Nothing of a test depends on the removal.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in it.
    subscript(name: String) -> String {
        "\(path)/\(name)"
    }

    /// Writes a file.
    ///
    /// - Returns: Its path.
    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        let file = self[name]
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    /// Makes a folder in it.
    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: self[name], withIntermediateDirectories: true)
    }

    /// The paths of the files below a folder in it, without the folders.
    func files(below name: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: self[name]).filter { path in
            var isDirectory = false
            return FileManager.default.fileExists(atPath: "\(self[name])/\(path)", isDirectory: &isDirectory)
                && !isDirectory
        }
    }
}
