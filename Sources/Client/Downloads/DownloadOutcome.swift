public import ErrandSessionCore
public import ErrandTransfer

/// The result of a download task.
public struct DownloadOutcome: Sendable {
    /// The file; `nil` if the download failed.
    public var file: DownloadedFile?
    /// The last response, as far as it was received.
    ///
    /// The content of an unsuccessful response is in its ``SessionResponse/body``.
    public var response: SessionResponse?
    /// The error; `nil` for success.
    public var error: DownloadError?
    /// The metrics of the last attempt.
    public var metrics: TransferMetrics

    /// Creates an outcome from its parts.
    public init(
        file: DownloadedFile? = nil, response: SessionResponse? = nil, error: DownloadError? = nil,
        metrics: TransferMetrics = TransferMetrics()
    ) {
        self.file = file
        self.response = response
        self.error = error
        self.metrics = metrics
    }

    /// The file of an outcome without an error.
    ///
    /// - Throws: The error of the outcome.
    public var success: DownloadedFile {
        get throws(DownloadError) {
            if let error { throw error }
            guard let file else {
                throw DownloadError(SessionError(.internal, "The download ended without a file and without an error"))
            }
            return file
        }
    }
}

/// A file that was downloaded.
public struct DownloadedFile: Sendable {
    /// The path of the file, which differs from the given destination if that existed
    /// (``DownloadConflict/rename``).
    public var path: String
    /// The number of bytes.
    public var size: Int64
    /// The response that completed the file, without content.
    ///
    /// Its status is 206 if the download was resumed, and 416 if nothing was left to receive.
    public var response: SessionResponse

    /// Creates a file from its parts.
    public init(path: String, size: Int64, response: SessionResponse) {
        self.path = path
        self.size = size
        self.response = response
    }

    /// The head of the response.
    public var head: ResponseHead { response.head }
}
