package import ErrandSessionCore

// The errors of downloads whose responses end in the wrong place.

extension DownloadMachine {
    /// The number of unfinished responses after which a download fails: a server may end responses early, but not
    /// without end.
    package static let unfinishedLimit = 100

    /// The error after ``unfinishedLimit`` responses that have ended before the end of the content.
    package static let unfinishedTooOften = SessionError(
        .connectionLost, "The server has ended \(unfinishedLimit) responses before the end of the content",
        isRetryable: true)

    /// The error of a response with ``Ending/wrongLength``.
    package static let wrongLength = SessionError(
        .cannotParseResponse, "The response has another length than its head states")
}
