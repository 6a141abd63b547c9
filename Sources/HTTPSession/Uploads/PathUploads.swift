import FileSources
public import SessionCore
public import Transfer

/// Any file that the process may read, by its path.
///
/// For programs whose paths are their own. Where somebody else names the files, ``FolderUploads`` keeps them in one
/// folder.
public struct PathUploads: UploadFiles {
    /// Creates it; there is nothing to choose.
    public init() {}

    /// The content of a file.
    ///
    /// Blocks for as long as it takes to open the file.
    ///
    /// - Parameter name: The path: absolute, or relative to the working directory. Symbolic links are followed.
    /// - Throws: ``SessionErrorCode/fileNotFound``, or ``SessionErrorCode/badFile`` for what is no regular file or
    ///   cannot be read.
    public func source(of name: String) throws(SessionError) -> any BodySource {
        do throws(FileSourceError) {
            return try FileSource(path: name)
        } catch {
            throw SessionError(error)
        }
    }
}

extension UploadFiles where Self == PathUploads {
    /// Any file that the process may read, by its path.
    public static var anyPath: PathUploads { PathUploads() }
}
