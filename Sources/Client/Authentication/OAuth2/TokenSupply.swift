import ErrandLocking
package import ErrandTransfer

/// Supplies access tokens and shares one fetch among all callers.
///
/// May be used on any thread. ``TokenMachine`` makes the decisions; this class keeps the waiting callers.
package final class TokenSupply<Failure: Error>: Sendable {
    /// The answer to a caller that needs a token.
    package enum Answer: Sendable {
        /// A token that is valid as far as is known.
        case token(AccessToken)
        /// The fetch has failed; also during the pause after it, with the same error.
        case failed(Failure)
        /// The caller was canceled.
        case canceled
        /// There were too many fetches recently, so the tokens do not work.
        case refused
    }

    /// The effect of the refusal of a token on the caller that was refused.
    package enum Rejection: Sendable {
        /// The token was the current one, and is discarded: the caller may ask for another.
        case discarded
        /// The token was not the current one: the caller may ask for that.
        case outdated
        /// The token stays in use, and the caller fails, because no other may be fetched now.
        ///
        /// - Parameter after: The error of the last fetch, if the pause after it is not over; `nil` if there were too
        ///   many fetches recently.
        case kept(after: Failure?)
    }

    private let fetch: @Sendable () async -> Result<AccessToken, Failure>
    private let now: @Sendable () -> MonotonicInstant
    private let state: Mutex<State>

    private struct State {
        var machine: TokenMachine
        var continuations: [TokenMachine.Waiter: Continuation<Answer>] = [:]
        var lastWaiter: TokenMachine.Waiter = 0
        /// The error of the last fetch; `nil` if that has not failed.
        var lastFailure: Failure?

        /// Removes and returns the continuations of callers.
        mutating func take(_ waiters: Set<TokenMachine.Waiter>) -> [Continuation<Answer>] {
            waiters.compactMap { continuations.removeValue(forKey: $0) }
        }
    }

    /// Creates a supply.
    ///
    /// - Parameters:
    ///   - machine: The machine that decides, with the first token if there is one.
    ///   - now: The monotonic time.
    ///   - fetch: Fetches a token, when one is needed.
    package init(
        _ machine: TokenMachine = TokenMachine(), now: @escaping @Sendable () -> MonotonicInstant,
        fetch: @escaping @Sendable () async -> Result<AccessToken, Failure>
    ) {
        self.fetch = fetch
        self.now = now
        state = Mutex(State(machine: machine))
    }

    /// Returns a token that is valid as far as is known.
    ///
    /// Canceling the calling task ends its wait immediately; the other callers keep waiting.
    package func token() async -> Answer {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withContinuation { need($0, waiter) }
        } onCancel: {
            cancel(waiter)
        }
    }

    /// Discards a token that a server has refused, if another may be fetched.
    package func reject(_ token: String) -> Rejection {
        let now = self.now()
        let (rejection, lastFailure) = state.withLock { ($0.machine.rejected(token, at: now), $0.lastFailure) }
        return switch rejection {
        case .discarded: .discarded
        case .outdated: .outdated
        case .kept: .kept(after: nil)
        case .keptInPause: .kept(after: lastFailure)
        }
    }

    /// Discards the current token; that of a fetch under way is given to the callers that wait for it, and not kept.
    ///
    /// Later callers get a token that is fetched after that.
    package func reset() {
        state.withLock { $0.machine.reset() }
    }

    /// The number of callers that are waiting for a token.
    package var waiterCount: Int { state.withLock { $0.continuations.count } }

    /// True if a token is being fetched.
    package var isRefreshing: Bool { state.withLock { $0.machine.isRefreshing } }

    // MARK: Waiting

    private func need(_ continuation: Continuation<Answer>, _ waiter: TokenMachine.Waiter) {
        let now = self.now()
        // A cancellation before this critical section is seen in it; a later one finds the waiter.
        let (decision, lastFailure) = state.withLock { state -> (TokenMachine.Decision?, Failure?) in
            guard !Task.isCancelled else { return (nil, nil) }
            let decision = state.machine.need(waiter, at: now)
            if decision == .wait || decision == .waitAndRefresh { state.continuations[waiter] = continuation }
            return (decision, state.lastFailure)
        }
        switch decision {
        case nil:
            continuation.resume(returning: .canceled)
        case .use(let token):
            continuation.resume(returning: .token(token))
        case .useAndRefresh(let token):
            continuation.resume(returning: .token(token))
            refresh()
        case .wait:
            break
        case .waitAndRefresh:
            refresh()
        case .failAgain:
            // There is an error, because the machine has learned of a failure.
            continuation.resume(returning: lastFailure.map { Answer.failed($0) } ?? .refused)
        case .refuse:
            continuation.resume(returning: .refused)
        }
    }

    private func cancel(_ waiter: TokenMachine.Waiter) {
        let continuation = state.withLock { state in
            state.machine.canceled(waiter) ? state.continuations.removeValue(forKey: waiter) : nil
        }
        continuation?.resume(returning: .canceled)
    }

    // MARK: Refreshing

    /// The callers that get the outcome of a fetch, those that are refused, and true if another fetch follows.
    private typealias Ended = (waiting: [Continuation<Answer>], refused: [Continuation<Answer>], mustRefresh: Bool)

    /// Fetches a token in its own task: the caller that needed it first may be canceled while others wait.
    private func refresh() {
        Task {
            let outcome = await fetch()
            let now = self.now()
            let (waiting, refused, mustRefresh) = state.withLock { state -> Ended in
                let released: Set<TokenMachine.Waiter>
                switch outcome {
                case .success(let token):
                    released = state.machine.refreshed(token)
                    state.lastFailure = nil
                case .failure(let error):
                    released = state.machine.failed(at: now)
                    state.lastFailure = error
                }
                let next = state.machine.followUp(at: now)
                let refused: Set<TokenMachine.Waiter> = if case .refuse(let waiters) = next { waiters } else { [] }
                return (state.take(released), state.take(refused), next == .refresh)
            }
            let answer: Answer =
                switch outcome {
                case .success(let token): .token(token)
                case .failure(let error): .failed(error)
                }
            for continuation in waiting { continuation.resume(returning: answer) }
            for continuation in refused { continuation.resume(returning: .refused) }
            if mustRefresh { refresh() }
        }
    }
}

extension TokenSupply.Rejection: Equatable where Failure: Equatable {}
