public import FileSources
public import SessionCore
public import Transfer

/// The files of one folder, by their names in it, and no others.
///
/// ```swift
/// let api = try Session(baseURL: "https://api.example.com", uploads: .folder("/srv/outgoing"))
/// try await api.put("reports/7", body: .file("2026/report.pdf"))
/// ```
public struct FolderUploads: UploadFiles {
    /// Where the files are.
    public let folder: UploadFolder

    /// Opens the files of a folder.
    public init(_ folder: UploadFolder) {
        self.folder = folder
    }

    /// The content of a file.
    ///
    /// Blocks for as long as it takes to open the file.
    ///
    /// - Parameter name: As in ``UploadFolder/source(of:)``: relative, and without a way out of the folder.
    /// - Throws: ``SessionErrorCode/fileNotFound``, or ``SessionErrorCode/badFile`` for a name that is not allowed and
    ///   for what is no regular file, behind a symbolic link or not readable.
    public func source(of name: String) throws(SessionError) -> any BodySource {
        do throws(FileSourceError) {
            return try folder.source(of: name)
        } catch {
            throw SessionError(error)
        }
    }
}

extension UploadFiles where Self == FolderUploads {
    /// The files of the folder at a path, which is looked at only when a file is opened.
    public static func folder(_ path: String) -> FolderUploads {
        FolderUploads(UploadFolder(path: path))
    }
}
