public import ErrandSessionCore

/// The error of a download.
public struct DownloadError: Error, Sendable, Hashable {
    /// The reason, with the response that came with it (``SessionError/response``).
    public var error: SessionError
    /// The data from which the download can be resumed; `nil` if no partial file was kept.
    public var resumeData: DownloadResumeData?

    /// Creates an error.
    public init(_ error: SessionError, resumeData: DownloadResumeData? = nil) {
        self.error = error
        self.resumeData = resumeData
    }

    /// The kind of failure, stable for programs.
    public var code: SessionErrorCode { error.code }

    /// A sentence for people, without a full stop.
    public var message: String { error.message }
}

extension DownloadError: CustomStringConvertible {
    /// The description of the reason, and the number of bytes that were kept.
    public var description: String {
        guard let resumeData else { return error.description }
        return "\(error); \(resumeData.received) bytes are kept"
    }
}
