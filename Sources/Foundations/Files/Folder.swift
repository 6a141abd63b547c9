import ErrandText
internal import Glibc

/// The folders of a file system.
package enum Folder {
    /// Creates a folder that only this user can use; no-op if it exists.
    package static func make(_ path: String) throws(SystemFailure) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemFailure("mkdir \(path)") }
    }

    /// Creates a folder and the missing ones above it, which only this user can use; no-op if it exists.
    package static func makeWithParents(_ path: String) throws(SystemFailure) {
        var prefix = path.isAbsolutePath ? "/" : ""
        for name in path.pathNames() {
            prefix += "\(name)/"
            try make(prefix)
        }
    }

    /// Returns true if there is a file or a folder at a path; symbolic links are followed.
    ///
    /// - Throws: A failure that leaves this unknown, such as a folder on the way that this user may not search.
    package static func hasEntry(at path: String) throws(SystemFailure) -> Bool {
        if access(path, F_OK) == 0 { return true }
        let failure = SystemFailure("access \(path)")
        guard failure.isMissingFile else { throw failure }
        return false
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

extension String {
    /// This path from the root, in its normal form: a relative one begins at the working directory of the process.
    ///
    /// It stays relative if the working directory was removed.
    package var absolutePath: String {
        guard !isAbsolutePath, let folder = getcwd(nil, 0) else { return normalizedPath }
        defer { free(folder) }
        return path(from: String(cString: folder)).normalizedPath
    }
}
