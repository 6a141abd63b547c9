import Locking
package import Transfer

/// Has a bearer token for everybody who needs one, and asks for it once (RFC 6749 §4.4).
///
/// Any thread. The decisions are those of ``TokenMachine``; here are its transfers and those who wait.
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

    /// Creates an authenticator without a token; the first one is asked for when it is needed.
    package init(_ client: OAuth2ClientCredentials, transport: any Transport, clock: AuthenticationClock) {
        self.client = client
        self.transport = transport
        self.clock = clock
    }

    /// A token that is good, as far as is known here.
    ///
    /// Cancelling the calling task ends its wait at once; the others go on waiting.
    ///
    /// - Throws: Why there is none.
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

    /// A server has refused a token: it is not used again.
    package func reject(_ token: String) {
        state.withLock { $0.machine.rejected(token) }
    }

    /// How many wait for a token right now.
    package var waiterCount: Int { state.withLock { $0.continuations.count } }

    // MARK: Waiting

    private func need(_ continuation: Continuation, _ waiter: TokenMachine.Waiter) {
        let now = clock.monotonic()
        // A cancellation before this section is seen in it; one after it finds the waiter.
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
        "More than \(TokenMachine.maxRefreshes) tokens were asked for within \(TokenMachine.window.components.seconds) s",
        isRetryable: true)

    // MARK: Refreshing

    /// Asks for a token in a task of its own: whoever needed it first may be cancelled, and the others still want it.
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
            return .failure(AuthenticationError(error.code, "The token endpoint: \(error.message)"))
        }
        guard let head = outcome.head else {
            return .failure(AuthenticationError(.transportError, "The token endpoint did not answer"))
        }
        do throws(AuthenticationError) {
            let response = try TokenResponse(status: head.status, body: receiver.bytes)
            return .success(AccessToken(response.token, lifetime: response.lifetime, requested: requested))
        } catch {
            return .failure(error)
        }
    }
}
