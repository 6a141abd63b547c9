import ErrandText

extension SettingType where Value == String {
    /// The type of a directory, which may be missing.
    ///
    /// A relative path is relative to the working directory.
    package static var directory: SettingType { path("directory").usable(as: .directory) }

    /// The type of a directory that must be writable.
    ///
    /// A relative path is relative to the working directory.
    package static var writableDirectory: SettingType { path("directory").usable(as: .writableDirectory) }

    /// The type of a file in a directory that must be writable.
    ///
    /// A relative path is relative to the working directory.
    package static var fileInWritableDirectory: SettingType { filePath.usable(as: .writableFile) }

    /// The type of a file, which may be missing.
    ///
    /// A relative path is relative to the working directory.
    package static var filePath: SettingType { path("file") }

    /// Returns the same type, which refuses paths that cannot be used.
    package func usable(as use: PathUse) -> SettingType {
        checked { path, reader in
            // A required path that is missing was reported.
            guard !path.isEmpty, let problem = reader.pathProblem?(path, use) else { return }
            reader.report(problem)
        }
    }

    private static func path(_ label: String) -> SettingType {
        text("path of a \(label)") { path in
            if path.utf8.contains(0) { return "expected a path without NUL" }
            // The text may be the content of a file, such as a key, which messages must not repeat.
            if path.contains(where: \.isNewline) { return "expected the path of a \(label), found several lines" }
            return path.hasSuffix("/") && label == "file" ? "expected the path of a file, found a directory" : nil
        }
    }
}
