package import ErrandTransfer
import HTTPTypes

/// Supplies bearer tokens and shares one token request among all callers (RFC 6749 §4.4).
///
/// May be used on any thread. ``TokenSupply`` keeps the token and the waiting callers; this class performs the
/// transfers.
package final class OAuth2Authenticator: Sendable {
    private let supply: TokenSupply<AuthenticationError>

    /// Creates an authenticator without a token; the first token is requested when it is needed.
    ///
    /// - Parameters:
    ///   - client: The credentials of the client.
    ///   - transport: The transport for token requests.
    ///   - userAgent: The `User-Agent` of token requests. Default: `nil`, none.
    ///   - clock: The clock by which tokens expire.
    package init(
        _ client: OAuth2ClientCredentials, transport: any Transport, userAgent: String? = nil,
        clock: AuthenticationClock
    ) {
        supply = TokenSupply(now: clock.monotonic) {
            await OAuth2Authenticator.requestToken(for: client, userAgent: userAgent, over: transport, clock)
        }
    }

    /// Returns a token that is valid as far as the client knows.
    ///
    /// Canceling the calling task ends its wait immediately; the other callers keep waiting.
    ///
    /// - Throws: ``AuthenticationError`` if no token can be obtained.
    package func token() async throws(AuthenticationError) -> String {
        switch await supply.token() {
        case .token(let token): return token.value
        case .failed(let error): throw error
        case .canceled: throw .canceled
        case .refused: throw Self.excessiveRefresh
        }
    }

    /// Discards a token that a server has refused, if another may be requested.
    package func reject(_ token: String) -> TokenSupply<AuthenticationError>.Rejection {
        supply.reject(token)
    }

    /// Discards the current token; later callers get one that is requested after the call.
    package func reset() {
        supply.reset()
    }

    /// The number of callers that are waiting for a token.
    package var waiterCount: Int { supply.waiterCount }

    /// True if a token is being requested.
    package var isRefreshing: Bool { supply.isRefreshing }

    private static let excessiveRefresh = AuthenticationError(
        .authenticationFailed,
        "More than \(TokenMachine.maxRefreshes) tokens were fetched within \(TokenMachine.window.components.seconds) s",
        isRetryable: true)

    private static func requestToken(
        for client: OAuth2ClientCredentials, userAgent: String?, over transport: any Transport,
        _ clock: AuthenticationClock
    ) async -> Result<AccessToken, AuthenticationError> {
        let requested = clock.monotonic()
        let receiver = TokenReceiver()
        let request = TokenRequest.make(for: client, userAgent: userAgent)
        let outcome = await transport.perform(request, receiver: receiver)
        if let error = outcome.error {
            return .failure(AuthenticationError(error.code, "The token request failed: \(error.message)"))
        }
        guard let head = outcome.head else {
            return .failure(AuthenticationError(.transportError, "The token endpoint did not respond"))
        }
        do throws(AuthenticationError) {
            let response = try TokenResponse(status: head.status, body: receiver.bytes)
            return .success(AccessToken(response.token, lifetime: response.lifetime, requested: requested))
        } catch {
            return .failure(error)
        }
    }
}

extension OAuth2Authenticator: AuthenticationMechanism {
    /// The most retries of a request after refused tokens: one with the current token, if that is not the refused one,
    /// and one with a token that was fetched since.
    static let maxRetries = 2

    func authorize(_ request: inout TransferRequest) async throws(AuthenticationError) {
        let token = try await self.token()
        request.headers[.authorization] = BearerCredentials(token: token).authorization
    }

    /// Discards the token, so that ``authorize(_:)`` gets another; not a token that was fetched after an earlier refusal
    /// of the same attempt, which other resources may accept.
    func challenge(
        _ head: ResponseHead, for request: TransferRequest, after challenges: inout AnsweredChallenges
    ) -> AuthenticationRetry {
        guard challenges.count < Self.maxRetries, !challenges.haveDiscardedToken else {
            return .giveUp(reason: "The server does not accept the tokens of the token endpoint")
        }
        var rejection = TokenSupply<AuthenticationError>.Rejection.outdated
        if let sent = request.headers[.authorization], sent.hasPrefix(BearerCredentials.prefix) {
            rejection = reject(String(sent.dropFirst(BearerCredentials.prefix.count)))
        }
        if case .kept(let failure) = rejection { return .fail(failure ?? Self.excessiveRefresh) }
        challenges.record(discardingToken: rejection == .discarded)
        return .retry
    }
}
