import ErrandAuthentication
import ErrandTransfer
import HTTPTypes

// The answers of an attempt to the authentication challenges of the upstream.

extension Attempt {
    /// The maximum number of answers that hooks give to the challenges of one attempt.
    private static let maxChallengeAnswers = 3

    /// Answers an authentication challenge, with the session's credentials or else by a hook.
    ///
    /// - Parameter transfer: A transfer with a response, whose content may be incomplete.
    /// - Returns: True if another hop follows, with the answer; false if the challenge is the response.
    @inline(never)
    func answerChallenge(of transfer: TransferOutcome) async throws(SessionError) -> Bool {
        guard let head = transfer.head else { return false }
        if try await answerWithCredentials(to: head, of: transfer) { return true }
        guard asksAboutChallenges else { return false }
        return try await ask(about: head, of: transfer)
    }

    // MARK: Credentials

    /// Answers a challenge with the session's credentials, and prepares the request to be sent again.
    ///
    /// - Returns: True if another hop follows, with the answer; false if the credentials cannot answer the challenge.
    @inline(never)
    private func answerWithCredentials(
        to head: ResponseHead, of transfer: TransferOutcome
    ) async throws(SessionError) -> Bool {
        guard chain.carriesCredentials, let authenticator = session.authenticator else { return false }
        switch authenticator.challenge(head, for: request, after: &challenges) {
        case .retry:
            break
        case .giveUp(let reason):
            refusal = reason
            return false
        case .fail(let error):
            throw SessionError(error)
        }
        if let error = transfer.error {
            guard canRepeat(despite: error), HopChain.rewindForResend(chain.request.body) else { return false }
        }
        try chain.prepareToRepeat()
        note(head)
        await sink.discard()
        return true
    }

    // MARK: Hooks

    /// True if hooks are asked about a challenge to the current request.
    ///
    /// They are not asked after a redirect to another origin, also if a later one has led back: the answer would go to a
    /// server or a target that others have chosen. Nor are they asked about a 401 that is a response like any other for
    /// the request.
    var asksAboutChallenges: Bool {
        guard let extras = prepared.extras, !extras.hooks.challenges.isEmpty,
            challengeAnswers < Self.maxChallengeAnswers, !chain.hasLeftOrigin
        else { return false }
        let acceptable = extras.acceptableStatuses ?? session.configuration.response.acceptableStatuses
        return !acceptable.contains(401)
    }

    /// Asks the hooks about a challenge, and prepares the request of the first answer.
    @inline(never)
    private func ask(about head: ResponseHead, of transfer: TransferOutcome) async throws(SessionError) -> Bool {
        guard let handlers = prepared.extras?.hooks.challenges else { return false }
        let challenges = head.challenges
        guard !challenges.isEmpty, transfer.error.map({ canRepeat(despite: $0) }) ?? true else { return false }
        let challenged = ChallengedRequest(
            chain.request, challenges: challenges, response: head, previousAnswers: chain.answers)
        let result = await perform { () async -> Result<TransferRequest?, SessionError> in
            do {
                for handler in handlers {
                    if let answer = try await handler.answer(challenged) { return .success(answer) }
                }
                return .success(nil)
            } catch {
                return .failure(SessionError(ofHook: error, "A handler of challenges of the program failed"))
            }
        }
        try checkTime()
        guard let answer = try result.get() else { return false }
        var next = chain
        try next.answer(with: answer)
        note(head)
        await sink.discard()
        challengeAnswers += 1
        // The challenge that the credentials could not answer is answered.
        refusal = nil
        chain = next
        return true
    }

    // MARK: Repetition

    /// Reports a challenge that is answered, and notes it for the outcome.
    ///
    /// Its URL is without the credentials that the sent URL may contain.
    private func note(_ head: ResponseHead) {
        observer.emit(.challenged(chain.request.url))
        let challenge = FollowedChallenge(
            url: prepared.secrets.shown(chain.request.url),
            // The server chooses their number and lengths.
            schemes: head.challenges.prefix(8).map { String($0.scheme.prefix(64)) })
        hops.append(.challenge(challenge))
    }

    /// Returns true if repeating the request makes sense although receiving the response has failed.
    ///
    /// Otherwise that failure ends the attempt.
    @inline(never)
    private func canRepeat(despite error: TransferError) -> Bool {
        // The content of the next response could not be stored either.
        guard error.code != .cannotWrite, error.code != .diskFull, !Task.isCancelled else { return false }
        guard let total = chain.request.timeouts.total else { return true }
        return total - metrics.active - waited > .zero
    }
}
