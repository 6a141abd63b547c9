import ErrandText

/// A folder whose files may be sent by name.
///
/// A name never leads out of the folder: it is resolved folder by folder without following symbolic links. The path of
/// the folder itself may contain some.
public struct UploadFolder: Sendable, Hashable {
    /// The path of the folder.
    public let path: String

    /// Creates an upload folder, which is accessed only when a file is opened.
    ///
    /// - Parameter path: An absolute path, or one relative to the working directory.
    public init(path: String) {
        self.path = path
    }

    /// Creates a source from a file below the folder.
    ///
    /// Blocks until the file is opened; ``open(_:)`` does not.
    ///
    /// - Parameter name: The names of the folders and the file, separated by `/`, such as `2026/report.pdf`. The name
    ///   is relative, without empty components, `.`, `..` and NUL characters.
    /// - Throws: ``FileSourceError/Code/fileNotFound`` if the file or a folder does not exist;
    ///   ``FileSourceError/Code/badFile`` if the name is not allowed, or the file is not a regular file, behind a
    ///   symbolic link or not readable.
    public func source(of name: String) throws(FileSourceError) -> FileSource {
        try FileSource(location(of: name))
    }

    /// Creates a source from a file below the folder, without blocking the caller's thread.
    ///
    /// - Parameter name: As in ``source(of:)``.
    /// - Throws: The errors of ``source(of:)``.
    public func open(_ name: String) async throws(FileSourceError) -> FileSource {
        try await FileSource.open(location(of: name))
    }

    private func location(of name: String) throws(FileSourceError) -> FileLocation {
        try .below(folder: path, names: Self.names(name))
    }

    private static func names(_ name: String) throws(FileSourceError) -> [String] {
        guard !name.utf8.contains(0) else {
            throw FileSourceError(.badFile, "The name of the file contains a NUL character")
        }
        guard !name.isAbsolutePath else {
            throw FileSourceError(.badFile, "The name of the file is an absolute path")
        }
        let names = name.pathNames(keepingEmpty: true)
        guard !names.contains("..") else {
            throw FileSourceError(.badFile, "The name of the file leads out of the folder")
        }
        guard !names.contains(where: { $0.isEmpty || $0 == "." }) else {
            throw FileSourceError(.badFile, "The name of the file has an empty component or the component \".\"")
        }
        return names
    }
}
