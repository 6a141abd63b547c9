import ErrandSupport
import Foundation

extension TemporaryFolder {
    /// Truncates a file or extends it with zeros.
    func resize(_ name: String, to bytes: UInt64) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: self[name]))
        try file.truncate(atOffset: bytes)
        try file.close()
    }

    /// Creates a symbolic link.
    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: self[name], withDestinationPath: target)
    }

    /// Returns the files in the folder that this process has open.
    func openFiles() throws -> [String] {
        let manager = FileManager.default
        return try manager.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { number in
            // The descriptor may belong to another test and be closed by now.
            let target = try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return target.flatMap { $0.hasPrefix(path) ? String($0.dropFirst(path.count + 1)) : nil }
        }
    }
}
