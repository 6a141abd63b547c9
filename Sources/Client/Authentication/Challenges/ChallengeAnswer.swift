import ErrandTransfer

/// The answer to one challenge, for the repetition of the challenged request alone.
protocol ChallengeAnswer: AnyObject, Sendable {
    /// Adds the answer to the repeated request.
    func authorize(_ request: inout TransferRequest)
}
