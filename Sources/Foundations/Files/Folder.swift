internal import Glibc

/// The folders of a file system.
package enum Folder {
    /// Creates a folder that only this user can use; no-op if it exists.
    package static func make(_ path: String) throws(SystemFailure) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemFailure("mkdir \(path)") }
    }

    /// Creates a folder and the missing ones above it, which only this user can use; no-op if it exists.
    package static func makeWithParents(_ path: String) throws(SystemFailure) {
        var prefix = path.hasPrefix("/") ? "/" : ""
        for name in path.split(separator: "/") {
            prefix += "\(name)/"
            try make(prefix)
        }
    }

    /// Returns true if there is anything in a folder, besides some names; false also if the path is not a folder.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - ignored: The names that do not count.
    package static func hasEntries(_ folder: String, besides ignored: Set<String> = []) throws(SystemFailure) -> Bool {
        var isEmpty = true
        do throws(SystemFailure) {
            try forEachName(in: folder) { name in
                if name != ".", name != "..", !ignored.contains(name) { isEmpty = false }
            }
        } catch {
            guard error.isMissingFile || error.number == ENOTDIR else { throw error }
        }
        return !isEmpty
    }

    /// Calls a function with each name in a folder, in no particular order, `.` and `..` included.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - body: The function.
    package static func forEachName(
        in folder: String, _ body: (String) throws(SystemFailure) -> Void
    ) throws(SystemFailure) {
        guard let listing = opendir(folder) else { throw SystemFailure("opendir \(folder)") }
        defer { _ = closedir(listing) }
        while true {
            errno = 0
            guard let entry = readdir(listing) else {
                if errno != 0 { throw SystemFailure("readdir \(folder)") }
                return
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            try body(name)
        }
    }
}
