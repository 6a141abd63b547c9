public import ErrandAuthentication
public import ErrandTransfer

/// A request that a server has challenged.
public struct ChallengedRequest: Sendable {
    /// The request without the session's cookies and credentials, but with the answer of an earlier call.
    public let request: TransferRequest
    /// The challenges of the response, in order; at least one.
    public let challenges: [AuthenticationChallenge]
    /// The head of the response.
    public let response: ResponseHead
    /// The number of answers of handlers that were sent before for the same request, since the last redirect.
    ///
    /// If it is not 0, the server has probably refused the last one.
    public let previousAnswers: Int

    /// Creates a challenged request; for tests of handlers.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - challenges: The challenges of the response.
    ///   - response: The head of the response.
    ///   - previousAnswers: The number of answers that were sent before.
    public init(
        _ request: TransferRequest, challenges: [AuthenticationChallenge], response: ResponseHead,
        previousAnswers: Int = 0
    ) {
        self.request = request
        self.challenges = challenges
        self.response = response
        self.previousAnswers = previousAnswers
    }
}

extension ChallengedRequest: RedactedReflection {
    /// The method and the schemes, without the values of header fields.
    public var description: String {
        "\(request.method), challenged by \(challenges.map(\.scheme).joined(separator: ", "))"
    }
}
