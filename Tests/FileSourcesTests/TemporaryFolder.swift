import Foundation

/// A folder that is removed with everything in it when the test is over.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("errand-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        // As the system writes it: the descriptors of a process are links to such paths.
        path = url.resolvingSymlinksInPath().path
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("A folder of a test is left over: \(path)")
        }
    }

    /// The path of something in the folder.
    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, with the folders that it needs.
    @discardableResult
    func write(_ content: [UInt8], to name: String) throws -> String {
        let url = URL(fileURLWithPath: self(name))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content).write(to: url)
        return url.path
    }

    /// Cuts a file, or makes it longer with zeros.
    func resize(_ name: String, to bytes: UInt64) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: self(name)))
        try file.truncate(atOffset: bytes)
        try file.close()
    }

    /// Makes a symbolic link.
    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: self(name), withDestinationPath: target)
    }

    /// The files in the folder that this process has open.
    func openFiles() throws -> [String] {
        let manager = FileManager.default
        return try manager.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { number in
            // A descriptor of another test may be closed by now.
            let target = try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return target.flatMap { $0.hasPrefix(path) ? String($0.dropFirst(path.count + 1)) : nil }
        }
    }
}
