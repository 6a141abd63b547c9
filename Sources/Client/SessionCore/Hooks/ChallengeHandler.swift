public import ErrandTransfer

/// A hook that answers authentication challenges (RFC 9110 §11).
///
/// Asked after a response 401 with at least one challenge, unless the session's credentials have answered it or the
/// request accepts the status 401. After a redirect to another origin no challenge is answered, even if a later
/// redirect has led back.
///
/// Certificates are no matter of this hook: they are verified by the session's trust policy alone.
public protocol ChallengeHandler: Sendable {
    /// Returns the request to send again with an answer to a challenge, or `nil` for none.
    ///
    /// The first request that a handler returns is sent, and the following handlers are not asked. If none returns one,
    /// the 401 is the response. An attempt sends at most three answers of its handlers. The field `Authorization` of an
    /// answer is not sent again after a redirect, whose target may challenge anew.
    ///
    /// The returned request is subject to the session's rules for methods and header fields, and must be for the same
    /// origin. Content that is kept is sent again from its beginning; if it cannot be read again, the attempt fails with
    /// ``SessionErrorCode/bodyStreamExhausted``. Time spent here counts towards the total timeout, which cancels the
    /// calling Swift task, as does canceling the request.
    ///
    /// - Parameter challenged: The request, its challenges and the response.
    /// - Throws: Any error, which ends the attempt with the 401 as its response: a ``SessionError`` as it is, any other
    ///   as the ``SessionError/cause`` of ``SessionErrorCode/hookFailed``.
    func answer(_ challenged: ChallengedRequest) async throws -> TransferRequest?
}
