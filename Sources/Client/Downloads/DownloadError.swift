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

    /// The response that came with the error, if one was received.
    ///
    /// It has the beginning of the content of an unacceptable response, as ``SessionError/response`` tells.
    public var response: SessionResponse? { error.response }
}

extension DownloadError: CustomStringConvertible {
    /// The description of the reason, and the number of bytes that were kept.
    public var description: String {
        guard let resumeData else { return error.description }
        return "\(error); \(resumeData.received) bytes are kept"
    }
}
