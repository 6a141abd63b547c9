package import ErrandTransfer
package import HTTPTypes

/// Adds a session's credentials to its requests and responds to challenges.
///
/// May be used on any thread; each session has its own. The caller decides for each hop of a redirect whether the
/// request may carry the credentials, which belong to the origin of the base URL.
package final class Authenticator: Sendable {
    /// The credentials of the session.
    package let credentials: Credentials

    /// A Boolean value that indicates whether authorizing a request may have to wait for another server.
    package let needsNetwork: Bool

    private let mechanism: any AuthenticationMechanism

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - credentials: The credentials to add.
    ///   - transport: The transport for token requests; used only by a kind of credentials that needs tokens.
    ///   - userAgent: The `User-Agent` of token requests. Default: `nil`, none.
    ///   - clock: The clocks for expiry and signatures.
    ///   - randomBytes: Returns the given number of unpredictable bytes.
    package init(
        _ credentials: Credentials, transport: any Transport, userAgent: String? = nil,
        clock: AuthenticationClock = .system,
        randomBytes: @escaping @Sendable (Int) -> [UInt8] = Authenticator.systemRandomBytes
    ) {
        self.credentials = credentials
        needsNetwork = !credentials.endpoints.isEmpty
        if let problem = credentials.problems.first {
            mechanism = RefusedCredentials(
                error: AuthenticationError(.authenticationFailed, "The credentials cannot be used: \(problem)"))
        } else {
            mechanism = credentials.content.mechanism(
                in: AuthenticationEnvironment(
                    transport: transport, userAgent: userAgent, clock: clock, randomBytes: randomBytes))
        }
    }

    /// Adds the credentials to a request, as the last step each time before it is sent.
    ///
    /// Replaces a header field or query item of the same name, so that a request can be authorized and sent again as
    /// long as its content is unchanged. Credentials that need a token wait for it; others return immediately.
    /// Canceling the calling task ends the wait with the code `canceled`.
    ///
    /// - Throws: ``AuthenticationError`` with the reason for which the request must not be sent.
    package func authorize(_ request: inout TransferRequest) async throws(AuthenticationError) {
        try await mechanism.authorize(&request)
    }

    /// Returns the reaction to the response 401 to a request that ``authorize(_:)`` has authorized.
    ///
    /// Digest learns from the challenge, unless it says that the credentials are wrong, and answers it with its own
    /// nonce. A token is discarded, and ``authorize(_:)`` gets another, at most twice. Credentials that do not respond
    /// to challenges give up.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - request: The request as it was sent.
    ///   - challenges: The earlier challenges to the request. A challenge that is answered is recorded there:
    ///     ``AnsweredChallenges/authorize(_:)`` comes first when the request is repeated.
    package func challenge(
        _ head: ResponseHead, for request: TransferRequest, after challenges: inout AnsweredChallenges
    ) -> AuthenticationRetry {
        guard head.status == 401 else { return .giveUp(reason: nil) }
        return mechanism.challenge(head, for: request, after: &challenges)
    }

    /// Forgets the tokens and the Digest challenges of servers, as if the session had just been created.
    ///
    /// The credentials themselves are kept. A request that begins later has a token that is requested after the call.
    package func reset() {
        mechanism.reset()
    }

    /// The header fields that contain secrets of these credentials.
    package var secretHeaderNames: Set<HTTPField.Name> { credentials.secretHeaderNames }

    /// The query items that contain secrets of these credentials, unescaped.
    package var secretQueryNames: Set<String> { credentials.secretQueryNames }

    /// Returns bytes from the system's random generator, which is asked once for each eight of them.
    package static let systemRandomBytes: @Sendable (Int) -> [UInt8] = { count in
        var generator = SystemRandomNumberGenerator()
        var word: UInt64 = 0
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for index in 0..<count {
            word = index.isMultiple(of: 8) ? generator.next() : word >> 8
            bytes.append(UInt8(truncatingIfNeeded: word))
        }
        return bytes
    }
}

extension Authenticator: RedactedReflection {
    /// The kind of the credentials, without any state derived from them.
    package var description: String { "authenticator with \(credentials)" }
}

/// The reaction to a 401 response.
package enum AuthenticationRetry: Sendable, Hashable {
    /// Authorizes the request again and resends it; the challenge was recorded in ``AnsweredChallenges``.
    case retry
    /// Returns the response to the caller.
    ///
    /// - Parameter reason: The reason for users: one sentence without a full stop and without secrets; `nil` if
    ///   credentials of this kind do not respond to challenges.
    case giveUp(reason: String?)
    /// Fails the request: the credentials would have to be renewed, which is not possible now.
    case fail(AuthenticationError)
}

/// The mechanism of credentials with problems, which authorizes no request.
private struct RefusedCredentials: AuthenticationMechanism {
    let error: AuthenticationError

    func authorize(_ request: inout TransferRequest) throws(AuthenticationError) {
        throw error
    }
}
