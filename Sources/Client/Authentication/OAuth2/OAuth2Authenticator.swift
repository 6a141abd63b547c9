import ErrandLocking
package import ErrandTransfer
import HTTPTypes

/// Supplies bearer tokens and shares one token request among all callers (RFC 6749 §4.4).
///
/// May be used on any thread. ``TokenMachine`` makes the decisions; this class performs the transfers and keeps the
/// waiting callers.
package final class OAuth2Authenticator: Sendable {
    private typealias Outcome = Result<String, AuthenticationError>
    private typealias Continuation = CheckedContinuation<Outcome, Never>

    private let client: OAuth2ClientCredentials
    private let transport: any Transport
    private let clock: AuthenticationClock
    private let state = Mutex(State())

    private struct State {
        var machine = TokenMachine()
        var continuations: [TokenMachine.Waiter: Continuation] = [:]
        var lastWaiter: TokenMachine.Waiter = 0
    }

    /// Creates an authenticator without a token; the first token is requested when it is needed.
    package init(_ client: OAuth2ClientCredentials, transport: any Transport, clock: AuthenticationClock) {
        self.client = client
        self.transport = transport
        self.clock = clock
    }

    /// Returns a token that is valid as far as the client knows.
    ///
    /// Cancelling the calling task ends its wait immediately; the other callers keep waiting.
    ///
    /// - Throws: ``AuthenticationError`` if no token can be obtained.
    package func token() async throws(AuthenticationError) -> String {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { need($0, waiter) }
        } onCancel: {
            cancel(waiter)
        }
        return try outcome.get()
    }

    /// Discards a token that a server has refused.
    package func reject(_ token: String) {
        state.withLock { $0.machine.rejected(token) }
    }

    /// The number of callers that are waiting for a token.
    package var waiterCount: Int { state.withLock { $0.continuations.count } }

    // MARK: Waiting

    private func need(_ continuation: Continuation, _ waiter: TokenMachine.Waiter) {
        let now = clock.monotonic()
        // A cancellation before this critical section is seen in it; a later one finds the waiter.
        let decision = state.withLock { state -> TokenMachine.Decision? in
            guard !Task.isCancelled else { return nil }
            let decision = state.machine.need(waiter, at: now)
            if decision == .wait || decision == .waitAndRefresh { state.continuations[waiter] = continuation }
            return decision
        }
        switch decision {
        case nil:
            continuation.resume(returning: .failure(.canceled))
        case .use(let token):
            continuation.resume(returning: .success(token.value))
        case .useAndRefresh(let token):
            continuation.resume(returning: .success(token.value))
            refresh()
        case .wait:
            break
        case .waitAndRefresh:
            refresh()
        case .refuse:
            continuation.resume(returning: .failure(Self.excessiveRefresh))
        }
    }

    private func cancel(_ waiter: TokenMachine.Waiter) {
        let continuation = state.withLock { state in
            state.machine.canceled(waiter) ? state.continuations.removeValue(forKey: waiter) : nil
        }
        continuation?.resume(returning: .failure(.canceled))
    }

    private static let excessiveRefresh = AuthenticationError(
        .authenticationFailed,
        "More than \(TokenMachine.maxRefreshes) tokens were fetched within \(TokenMachine.window.components.seconds) s",
        isRetryable: true)

    // MARK: Refreshing

    /// Requests a token in its own task: the caller that needed it first may be cancelled while others wait.
    private func refresh() {
        Task {
            let outcome = await requestToken()
            let waiting = state.withLock { state in
                let released =
                    switch outcome {
                    case .success(let token): state.machine.refreshed(token)
                    case .failure: state.machine.failed()
                    }
                return released.compactMap { state.continuations.removeValue(forKey: $0) }
            }
            for continuation in waiting {
                continuation.resume(returning: outcome.map(\.value))
            }
        }
    }

    private func requestToken() async -> Result<AccessToken, AuthenticationError> {
        let requested = clock.monotonic()
        let receiver = TokenReceiver()
        let outcome = await transport.perform(TokenRequest.make(for: client), receiver: receiver)
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
    /// The most retries of an attempt after refused tokens: one for a token that had expired, one for a token that
    /// expired on its way.
    static let maxRetries = 2

    func authorize(_ request: inout TransferRequest) async throws(AuthenticationError) {
        let token = try await self.token()
        request.headers[.authorization] = BearerCredentials(token: token).authorization
    }

    /// Discards the token, so that ``authorize(_:)`` gets another.
    func challenge(_ head: ResponseHead, for request: TransferRequest, retries: Int) -> AuthenticationRetry {
        if let sent = request.headers[.authorization], sent.hasPrefix(BearerCredentials.prefix) {
            reject(String(sent.dropFirst(BearerCredentials.prefix.count)))
        }
        return retries < Self.maxRetries
            ? .retry : .giveUp(reason: "The server does not accept the tokens of the token endpoint")
    }
}
