package import ErrandTransfer

/// The challenges to a request that were answered by repeating it.
///
/// A value that belongs to the sender of the request, such as an attempt, whose redirects lead to other requests.
package struct AnsweredChallenges: Sendable {
    /// The number of challenges to the current request.
    package private(set) var count = 0
    /// True if a challenge has discarded a token, so that a later request has one that was fetched since; also if that
    /// was a challenge to an earlier request.
    private(set) var haveDiscardedToken = false
    /// The answer to the last challenge, until it is sent; `nil` if any request is authorized in the same way.
    private var answer: (any ChallengeAnswer)?

    /// Creates the challenges of a request that was not sent yet.
    package init() {}

    /// Adds the answer to the last challenge to the repeated request.
    ///
    /// - Returns: False if there is no answer for this request alone: ``Authenticator/authorize(_:)`` authorizes it.
    package mutating func authorize(_ request: inout TransferRequest) -> Bool {
        guard let answer else { return false }
        answer.authorize(&request)
        self.answer = nil
        return true
    }

    /// Begins with another request of the same sender, such as the target of a redirect: none of its challenges was
    /// answered yet.
    package mutating func beginNextRequest() {
        count = 0
        answer = nil
    }

    /// Records a challenge that is answered.
    ///
    /// - Parameters:
    ///   - answer: The answer for the repeated request alone. Default: `nil`, none.
    ///   - discardingToken: True if the token of the request was discarded. Default: false.
    mutating func record(_ answer: (any ChallengeAnswer)? = nil, discardingToken: Bool = false) {
        count += 1
        if discardingToken { haveDiscardedToken = true }
        self.answer = answer
    }
}

/// The answer to one challenge, for the repetition of the challenged request alone.
protocol ChallengeAnswer: AnyObject, Sendable {
    /// Adds the answer to the repeated request.
    func authorize(_ request: inout TransferRequest)
}
