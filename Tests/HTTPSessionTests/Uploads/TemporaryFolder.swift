import FoundationEssentials

/// A folder of its own for a test, which is removed with everything in it at the end.
struct TemporaryFolder {
    /// Where it is.
    let path: String

    /// Creates the folder, runs the test, and removes the folder.
    static func with<Value>(_ body: (TemporaryFolder) async throws -> Value) async throws -> Value {
        let files = FileManager.default
        let path = files.temporaryDirectory.path + "/errand-\(UUID().uuidString)"
        try files.createDirectory(atPath: path, withIntermediateDirectories: true)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(TemporaryFolder(path: path)))
        } catch {
            result = .failure(error)
        }
        try files.removeItem(atPath: path)
        return try result.get()
    }

    /// Writes a file.
    ///
    /// - Returns: Its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8)
        return "\(path)/\(name)"
    }
}
