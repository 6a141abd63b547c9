extension SettingType where Value == String {
    /// A directory, which may be missing.
    ///
    /// A relative path is relative to the working directory.
    static var directory: SettingType { path("directory") }

    /// A directory that has to be writable.
    ///
    /// A relative path is relative to the working directory.
    static var writableDirectory: SettingType {
        directory.checked { path, reader in
            if let problem = reader.directoryProblem?(path) { reader.report(problem) }
        }
    }

    /// A file in a directory that has to be writable.
    ///
    /// A relative path is relative to the working directory.
    static var fileInWritableDirectory: SettingType {
        filePath.checked { path, reader in
            if let problem = reader.directoryProblem?(directory(of: path)) { reader.report(problem) }
        }
    }

    /// A file, which may be missing.
    ///
    /// A relative path is relative to the working directory.
    static var filePath: SettingType { path("file") }

    private static func path(_ label: String) -> SettingType {
        text("path of a \(label)") { path in
            if path.utf8.contains(0) { return "a path has no NUL" }
            // Somebody may have put in the content of a file, such as a key, which no message may repeat.
            if path.contains(where: \.isNewline) { return "expected the path of a \(label), found several lines" }
            return path.hasSuffix("/") && label == "file" ? "expected the path of a file, found a directory's" : nil
        }
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
