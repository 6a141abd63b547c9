import ErrandAuthentication
import ErrandTime
public import ErrandTransfer
import HTTPTypes

/// A hook that sends tokens, and refreshes them once for all requests that wait.
///
/// ```swift
/// let tokens = TokenRefresher { RefreshedToken(try await login(), lifetime: .seconds(3600)) }
/// let api = try Session(baseURL: "https://api.example.com", hooks: SessionHooks(interceptor: tokens))
/// ```
///
/// A token is fetched when the first request needs one, and renewed shortly before it expires, while it is still used.
/// After a 401 the token of the request is discarded: all requests that were sent with it wait for one refresh, and are
/// sent again. A request that was sent with an older token than the current one is just sent again. One request is sent
/// again at most once more than there may be refreshes in a window. A request that was answered with a redirect to
/// another method, such as a 303, is not sent again after a 401 to that method unless it is idempotent or has an
/// `Idempotency-Key`: it was processed (RFC 9110 §9.2.2). Nor is a request whose content is spent
/// (``EndedAttempt/hasSpentContent``): it fails with the 401 at once, and the next request gets another token.
///
/// After a refresh that fails, no other begins for 100 ms, a time that doubles with each further failure up to 5 s.
/// Requests of that time use the token if it is still valid, and fail with the error of the last refresh otherwise. A
/// request whose token is refused in that time fails with this error too, and the token stays in use for the others.
///
/// The closure that fetches a token may use the same session. Its requests have no token, and a 401 is their response,
/// because otherwise they would wait for the token that they are to fetch. The same applies to requests of Swift tasks
/// that the closure creates, except detached tasks (`Task.detached`): a closure that waits for a request of one waits
/// forever.
///
/// The token is the value of `Authorization`. A hook of a session sends it only to the origin of the base URL, never if
/// the session has none; a hook of a request sends it to the origin of that request. Give one value to several sessions
/// to share their tokens. Any thread.
public final class TokenRefresher: RequestAdapter, RequestRetrier {
    private let supply: TokenSupply<SessionError>
    /// The mark of the tasks that fetch a token.
    private let fetching: RefreshMark
    private let prefix: String
    private let maxRefreshes: Int
    private let excessive: SessionError

    /// Creates a hook.
    ///
    /// - Parameters:
    ///   - first: The first token. Default: `nil`, it is fetched when it is needed.
    ///   - scheme: The word before the token in `Authorization`; empty to send the token alone. Default: `Bearer`.
    ///   - maxRefreshes: The most refreshes that return a token within a window, at least one; requests that need more
    ///     fail with ``SessionErrorCode/authenticationFailed``. Default: 5.
    ///   - window: The period in which refreshes are counted. Default: 30 s.
    ///   - clock: The clock by which tokens expire. Default: the system's.
    ///   - refresh: Fetches a token. Never called again before it has returned, nor on the thread of transfers. An
    ///     error that it throws ends all requests that wait: a ``SessionError`` as it is, any other as the
    ///     ``SessionError/cause`` of ``SessionErrorCode/authenticationFailed``.
    public init(
        _ first: RefreshedToken? = nil, scheme: String = "Bearer", maxRefreshes: Int = 5,
        per window: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock(),
        refresh: @escaping @Sendable () async throws -> RefreshedToken
    ) {
        let scheme = scheme.asFieldValue
        prefix = scheme.isEmpty ? "" : scheme + " "
        let maxRefreshes = max(maxRefreshes, 1)
        let now = AuthenticationClock(clock) { SystemClock.secondsSince1970() }.monotonic
        let fetching = RefreshMark()
        self.fetching = fetching
        let machine = TokenMachine(
            first.map { AccessToken($0.value.asFieldValue, lifetime: $0.lifetime, requested: now()) },
            maxRefreshes: maxRefreshes, window: window)
        self.maxRefreshes = maxRefreshes
        excessive = SessionError(
            .authenticationFailed, "More than \(maxRefreshes) tokens were fetched within \(window)")
        supply = TokenSupply(machine, now: now) { () async -> Result<AccessToken, SessionError> in
            let requested = now()
            do {
                let token = try await fetching.marking(refresh)
                return .success(
                    AccessToken(token.value.asFieldValue, lifetime: token.lifetime, requested: requested))
            } catch let error as SessionError {
                return .failure(error)
            } catch {
                return .failure(SessionError(.authenticationFailed, "The token could not be refreshed", cause: error))
            }
        }
    }

    /// Discards the current token, so that the next request fetches one; ``Session/reset()`` does not do this.
    ///
    /// The token of a refresh under way is used by the requests that wait for it, and not kept. Later requests wait for
    /// another refresh, which begins when that one has ended.
    public func reset() {
        supply.reset()
    }

    /// True if a token is being fetched.
    package var isRefreshing: Bool { supply.isRefreshing }

    /// Sets `Authorization` to the current token, which may have to be fetched first; returns a request of the closure
    /// that fetches tokens as it is.
    public func adapt(_ request: TransferRequest) async throws -> TransferRequest {
        if fetching.isSet { return request }
        var request = request
        switch await supply.token() {
        case .token(let token): request.headers[.authorization] = prefix + token.value
        case .failed(let error): throw error
        case .canceled: throw SessionError.canceled
        case .refused: throw excessive
        }
        return request
    }

    /// Sends a request that was answered with a 401 again, with the current token or its successor; not a request of
    /// the closure that fetches tokens, nor one whose content is spent, nor one that failed for another reason than the
    /// 401, such as a handler of challenges.
    public func retry(after attempt: FailedAttempt) async -> RetryResult {
        guard !fetching.isSet, attempt.isRefused, attempt.number - 1 <= maxRefreshes,
            let sent = attempt.request.headers[.authorization],
            // The field of an empty token ends with the scheme.
            (sent + " ").hasPrefix(prefix), attempt.mayBeSentAgain
        else { return .doNotRetry }
        if case .kept(let failure) = supply.reject(String(sent.dropFirst(prefix.count))) {
            return .fail(failure ?? excessive)
        }
        // The token is discarded for the requests that follow; this one cannot be sent again.
        guard !attempt.ended.hasSpentContent else { return .doNotRetry }
        // The next attempt would need the token too; asking here makes a failed refresh the error of the task.
        return switch await supply.token() {
        case .token: .retry
        case .failed(let error): .fail(error)
        case .canceled: .doNotRetry
        case .refused: .fail(excessive)
        }
    }
}

extension FailedAttempt {
    /// True if the attempt has failed because of a 401, also if its content was not received completely.
    fileprivate var isRefused: Bool {
        guard response?.status == 401 else { return false }
        return switch error.code {
        case .hookFailed, .authenticationFailed, .urlOutOfScope, .bodyStreamExhausted, .timedOut: false
        default: true
        }
    }

    /// True if the last request, which was refused, is the first one as redirects have passed it on, or if the first may
    /// be performed twice.
    fileprivate var mayBeSentAgain: Bool {
        request.method == ended.method || ended.carriesIdempotencyKey
            || ended.method.isIdempotent && ended.methodsOfHooks.allSatisfy(\.isIdempotent)
    }
}

extension String {
    /// The text as a field has it when it is read again: without white space around it and control characters.
    ///
    /// A token in another form would never equal the one that was sent, and so could not be discarded.
    fileprivate var asFieldValue: String { HTTPField(name: .authorization, value: self).value }
}
