import ErrandFileSources
public import ErrandSessionCore
public import ErrandTransfer

/// Upload files by path: any file that the process may read.
///
/// For programs that choose the paths themselves. If others name the files, use ``FolderUploads``, which restricts them
/// to one folder.
public struct PathUploads: UploadFiles {
    /// Creates the value; it has no options.
    public init() {}

    /// Returns the content of a file.
    ///
    /// Blocks for as long as it takes to open the file.
    ///
    /// - Parameter name: The path: absolute, or relative to the working directory. Symbolic links are followed.
    /// - Throws: ``SessionErrorCode/fileNotFound``, or ``SessionErrorCode/badFile`` if the file is not a regular file
    ///   or cannot be read.
    public func source(of name: String) throws(SessionError) -> any BodySource {
        do throws(FileSourceError) {
            return try FileSource(path: name)
        } catch {
            throw SessionError(error)
        }
    }
}

extension UploadFiles where Self == PathUploads {
    /// Upload files by path: any file that the process may read.
    public static var anyPath: PathUploads { PathUploads() }
}
