public import ErrandFileSources
public import ErrandSessionCore
public import ErrandTransfer

/// Upload files from one folder only, named by their relative paths.
///
/// ```swift
/// let api = try Session(baseURL: "https://api.example.com", uploads: .folder("/srv/outgoing"))
/// try await api.put("reports/7", body: .file("2026/report.pdf"))
/// ```
public struct FolderUploads: UploadFiles {
    /// The folder.
    public let folder: UploadFolder

    /// Creates a source of the files in a folder.
    public init(_ folder: UploadFolder) {
        self.folder = folder
    }

    /// Returns the content of a file.
    ///
    /// Blocks for as long as it takes to open the file.
    ///
    /// - Parameter name: As in ``UploadFolder/source(of:)``: relative, and inside the folder.
    /// - Throws: ``SessionErrorCode/fileNotFound``, or ``SessionErrorCode/badFile`` if the name is not allowed or the
    ///   file is not a regular file, is behind a symbolic link, or is not readable.
    public func source(of name: String) throws(SessionError) -> any BodySource {
        do throws(FileSourceError) {
            return try folder.source(of: name)
        } catch {
            throw SessionError(error)
        }
    }
}

extension UploadFiles where Self == FolderUploads {
    /// Returns the files of the folder at a path, which is accessed only when a file is opened.
    public static func folder(_ path: String) -> FolderUploads {
        FolderUploads(UploadFolder(path: path))
    }
}

extension SessionError {
    /// Creates the error of a file that cannot be sent.
    init(_ error: FileSourceError) {
        let code: SessionErrorCode =
            switch error.code {
            case .fileNotFound: .fileNotFound
            case .badFile: .badFile
            }
        self.init(code, error.message)
    }
}
