import Foundation
import Locking

/// A folder for the files of one test's servers.
struct ScratchFolder {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    var path: String { url.path }

    /// The path of a file in it.
    func file(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Writes a file.
    ///
    /// - Returns: Its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: file(name), atomically: true, encoding: .utf8)
        return file(name)
    }

    /// Removes the folder when the process ends.
    func removeAtExit() {
        Self.leftovers.withLock { $0.append(self) }
        _ = Self.removal
    }

    private static let leftovers = Mutex<[ScratchFolder]>([])
    private static let removal: Int32 = atexit(removeScratchFolders)

    fileprivate static func removeLeftovers() {
        for folder in leftovers.withLock({ $0 }) { folder.remove() }
    }

    /// Removes the folder; it is in nobody's way if that fails.
    func remove() {
        _ = try? FileManager.default.removeItem(at: url)
    }
}

/// What `atexit` calls: a function, because a closure has no place in C.
private func removeScratchFolders() {
    ScratchFolder.removeLeftovers()
}
