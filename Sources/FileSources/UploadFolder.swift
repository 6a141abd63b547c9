/// A folder whose files may be sent by name, and no others.
///
/// A name never leads out of the folder: it is looked up folder by folder, and symbolic links are followed at none of
/// them. The path of the folder itself may contain some.
public struct UploadFolder: Sendable, Hashable {
    /// The path of the folder.
    public let path: String

    /// Names a folder, which is looked at only when a file is opened.
    ///
    /// - Parameter path: Absolute, or relative to the working directory.
    public init(path: String) {
        self.path = path
    }

    /// Creates a source from a file below the folder.
    ///
    /// Blocks for as long as it takes to open the file; ``open(_:)`` does not.
    ///
    /// - Parameter name: The names of folders and the file with `/` between them, such as `2026/report.pdf`: relative,
    ///   and without empty ones, `.`, `..` and NUL characters.
    /// - Throws: ``FileSourceError/Code/fileNotFound`` when there is no such file or folder,
    ///   ``FileSourceError/Code/badFile`` for a name that is not allowed and for what is no regular file, behind a
    ///   symbolic link or not readable.
    public func source(of name: String) throws(FileSourceError) -> FileSource {
        try FileSource(location(of: name))
    }

    /// Creates a source from a file below the folder, without blocking the caller's thread.
    ///
    /// - Parameter name: As in ``source(of:)``.
    /// - Throws: Like ``source(of:)``.
    public func open(_ name: String) async throws(FileSourceError) -> FileSource {
        try await FileSource.open(location(of: name))
    }

    private func location(of name: String) throws(FileSourceError) -> FileLocation {
        try .below(folder: path, names: Self.names(name))
    }

    private static func names(_ name: String) throws(FileSourceError) -> [String] {
        guard !name.utf8.contains(0) else {
            throw FileSourceError(.badFile, "The name of the file holds a NUL character")
        }
        guard !name.utf8.starts(with: "/".utf8) else {
            throw FileSourceError(.badFile, "The name of the file is an absolute path")
        }
        // By scalars, like the system: a `Character` can begin with a slash and be none.
        let names = name.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
        guard !names.contains("..") else {
            throw FileSourceError(.badFile, "The name of the file leads out of the folder")
        }
        guard !names.contains(where: { $0.isEmpty || $0 == "." }) else {
            throw FileSourceError(.badFile, "The name of the file has an empty component, or one that is a dot")
        }
        return names
    }
}
