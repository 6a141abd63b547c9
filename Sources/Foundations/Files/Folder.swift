internal import Glibc

/// The folders of a file system.
package enum Folder {
    /// Creates a folder that only this user can use; no-op if it exists.
    package static func make(_ path: String) throws(SystemFailure) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemFailure("mkdir \(path)") }
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
