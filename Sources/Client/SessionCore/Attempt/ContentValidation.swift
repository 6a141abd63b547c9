import ErrandTransfer

/// The rules for responses whose content is received: ``ResponseConfiguration/Disposition/Unacceptable/cancel``.
struct ContentValidation: Sendable {
    let response: ResponseValidation
    /// True if the session's credentials may answer a challenge, so that a 401 need not be the response.
    let answersChallenges: Bool

    /// Returns the error of a response whose content is not received; `nil` if it is, or if none will come.
    ///
    /// - Parameter announced: The number of content bytes that will come; `nil` if the head does not state it. Then the
    ///   content type does not matter yet, as there may be none.
    func objection(to head: ResponseHead, announced: Int64?) -> SessionError? {
        guard announced != 0, !answersChallenges || head.status != 401 else { return nil }
        return response.error(of: head, hasContent: announced != nil)
    }

    /// Returns the error of a response without an objection to it so far, if it turns out to have content.
    func objectionToContent(of head: ResponseHead) -> SessionError? {
        guard !answersChallenges || head.status != 401 else { return nil }
        return response.error(of: head, hasContent: true)
    }
}
