import ErrandText
import Glibc

/// The path of a database file, from which those of the files beside it are made.
package enum StorePath {
    /// The most symbolic links to follow, as many as the system follows.
    private static let maxLinks = 40
    /// The most bytes in the target of a symbolic link.
    private static let maxBytes = 4096

    /// Returns the path of a file without symbolic links; the file need not exist.
    ///
    /// SQLite keeps its log beside the file that a link leads to. The lock has to be there too: otherwise two gateways
    /// could open one store under two names. A path whose folder does not exist is returned as it is.
    package static func resolved(_ path: String) -> String {
        var path = path
        for _ in 0..<maxLinks {
            if let real = realPath(path) { return real }
            // A link may lead to a file that does not exist yet.
            guard let target = target(ofLink: path) else { break }
            path = target.path(from: path.parentFolder)
        }
        guard let folder = realPath(path.parentFolder) else { return path }
        let name = path.pathNames(keepingEmpty: true).last ?? ""
        return folder == "/" ? "/\(name)" : "\(folder)/\(name)"
    }

    /// Returns the path of a file that exists without symbolic links; `nil` if it does not exist, or is not found.
    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// Returns the path that a symbolic link leads to; `nil` if there is no link.
    private static func target(ofLink path: String) -> String? {
        var target = [UInt8](repeating: 0, count: maxBytes)
        let count = readlink(path, &target, target.count)
        return count > 0 ? String(decoding: target.prefix(count), as: UTF8.self) : nil
    }
}
