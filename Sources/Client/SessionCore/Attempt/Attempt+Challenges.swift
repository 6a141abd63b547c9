import ErrandAuthentication
import ErrandTransfer

// The answers of an attempt to the authentication challenges of the upstream.

extension Attempt {
    /// Returns true if the request must be resent with an answer to the authentication challenge.
    ///
    /// - Parameter transfer: A transfer with a response, whose content may be incomplete.
    @inline(never)
    func shouldAnswerChallenge(after transfer: TransferOutcome) async throws(SessionError) -> Bool {
        guard chain.carriesCredentials, let authenticator = session.authenticator, let head = transfer.head else {
            return false
        }
        switch authenticator.challenge(head, for: request, after: &challenges) {
        case .retry:
            break
        case .giveUp(let reason):
            refusal = reason
            return false
        }
        if let error = transfer.error, !canRepeat(despite: error) { return false }
        // Reports the URL without the credentials that the sent URL may contain.
        observer.emit(.challenged(chain.request.url))
        try chain.prepareToRepeat()
        await sink.discard()
        return true
    }

    /// Returns true if repeating the request makes sense although receiving the response has failed.
    ///
    /// Otherwise that failure ends the attempt.
    @inline(never)
    private func canRepeat(despite error: TransferError) -> Bool {
        // The content of the next response could not be stored either.
        guard error.code != .cannotWrite, error.code != .diskFull, !Task.isCancelled else { return false }
        if let total = chain.request.timeouts.total, total - metrics.active - waited <= .zero { return false }
        return HopChain.rewindForResend(chain.request.body)
    }
}
