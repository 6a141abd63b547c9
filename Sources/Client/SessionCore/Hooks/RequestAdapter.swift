public import ErrandTransfer

/// A hook that changes requests before they are sent: the first step of each attempt.
public protocol RequestAdapter: Sendable {
    /// Returns the request to send.
    ///
    /// The origin must stay the same, and the session's rules for methods, URLs and header fields apply to the result.
    /// A GET or HEAD request has no content: empty content is dropped, with the fields that describe it, and other
    /// content ends the attempt. Header fields that an adapter sets are not sent to another origin after a redirect.
    /// Time spent here counts towards the total timeout, which cancels the calling Swift task, as does canceling the
    /// request.
    ///
    /// - Parameter request: The request as the session has prepared it, or as the previous adapter returned it; without
    ///   the session's cookies and credentials.
    /// - Throws: Any error, which ends the attempt: a ``SessionError`` as it is, any other as the
    ///   ``SessionError/cause`` of ``SessionErrorCode/hookFailed``.
    func adapt(_ request: TransferRequest) async throws -> TransferRequest
}
