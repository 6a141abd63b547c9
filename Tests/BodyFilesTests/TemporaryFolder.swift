import FoundationEssentials

/// A folder that is gone after the test.
final class TemporaryFolder: Sendable {
    /// Its path.
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/errand-bodies-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // Nothing of a test depends on the removal.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The files below it, by their paths within it, sorted.
    func files() throws -> [String] {
        var found: [String] = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            var isFolder = false
            _ = FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder)
            if !isFolder { found.append(name) }
        }
        return found.sorted()
    }
}
