import ErrandTransfer

/// The rules for responses whose content is received: ``ResponseConfiguration/Disposition/Unacceptable/cancel``.
struct ContentValidation: Sendable {
    let response: ResponseValidation
    /// True if the session's credentials or hooks may answer a challenge, so that a 401 need not be the response.
    let answersChallenges: Bool

    /// Returns the error with which to refuse a response before its content; `nil` to receive it, or if none will come.
    ///
    /// - Parameter hasContent: True if content will come; `nil` if the head does not tell. Then the content type does not
    ///   matter yet.
    func objection(to head: ResponseHead, hasContent: Bool?) -> SessionError? {
        guard hasContent != false, !answersChallenges || head.status != 401 else { return nil }
        return response.error(of: head, hasContent: hasContent ?? false)
    }
}
