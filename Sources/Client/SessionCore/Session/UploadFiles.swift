public import ErrandTransfer

/// A provider of the files that tasks send.
public protocol UploadFiles: Sendable {
    /// Returns the content of a file, which is opened when it is read.
    ///
    /// - Parameter name: The file as the task names it.
    /// - Throws: ``SessionErrorCode/fileNotFound`` or ``SessionErrorCode/badFile``.
    func source(of name: String) throws(SessionError) -> any BodySource
}
