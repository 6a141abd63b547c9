public import ErrandSessionCore
import ErrandTransfer
import HTTPTypes

extension SessionResponse {
    /// The name for a file with the content of this response.
    ///
    /// It is that of `Content-Disposition` (RFC 6266), of which `filename*` (RFC 8187) comes first, or else the last
    /// segment of the path of ``url``, or else `download`. It is always the name of a file: one component of a path,
    /// without control characters, at most 255 bytes long, and neither hidden nor reserved on common systems.
    public var suggestedFilename: String {
        SuggestedFileNames(contentDisposition: head.headers[.contentDisposition], url: url.string).filename
    }
}
