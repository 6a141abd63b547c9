import ErrandTransfer

/// The implementation of one kind of credentials in an ``Authenticator``.
protocol AuthenticationMechanism: Sendable {
    /// Adds the credentials to a request, or replaces those that it has.
    ///
    /// - Throws: ``AuthenticationError`` with the reason for which the request must not be sent.
    func authorize(_ request: inout TransferRequest) async throws(AuthenticationError)

    /// Returns the reaction to the response 401 to an authorized request; by default the mechanism gives up.
    ///
    /// - Parameter challenges: The earlier challenges to the request; a challenge that is answered is recorded there.
    func challenge(
        _ head: ResponseHead, for request: TransferRequest, after challenges: inout AnsweredChallenges
    ) -> AuthenticationRetry

    /// Forgets what servers have sent; by default there is nothing to forget.
    func reset()
}

extension AuthenticationMechanism {
    func reset() {}

    func challenge(
        _ head: ResponseHead, for request: TransferRequest, after challenges: inout AnsweredChallenges
    ) -> AuthenticationRetry {
        .giveUp(reason: nil)
    }
}

/// The parts of a session that mechanisms use.
struct AuthenticationEnvironment: Sendable {
    /// The transport for requests of the mechanism's own.
    let transport: any Transport
    /// The `User-Agent` of these requests; `nil` for none.
    let userAgent: String?
    /// The clocks for expiry and signatures.
    let clock: AuthenticationClock
    /// Returns the given number of unpredictable bytes.
    let randomBytes: @Sendable (Int) -> [UInt8]
}
