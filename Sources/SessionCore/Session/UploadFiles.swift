public import Transfer

/// Opens the files that tasks send.
public protocol UploadFiles: Sendable {
    /// The content of a file; it is opened when it is read.
    ///
    /// - Parameter name: The file as the task names it.
    /// - Throws: ``SessionErrorCode/fileNotFound`` or ``SessionErrorCode/badFile``.
    func source(of name: String) throws(SessionError) -> any BodySource
}
