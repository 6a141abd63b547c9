package import ErrandTransfer

/// Decides which caller gets which access token and when a new one is requested, without a clock or network.
///
/// ```
///            need ▶ refresh                 refreshed: the waiters get the token
///   idle ───────────────────────▶ refreshing ───────────────────────▶ idle
///                                     │    failed: the waiters get the error
///                                     └─────────────────────────────▶ idle
/// ```
/// There is one refresh at a time, for all callers. The current token is used until it expires, even while its
/// replacement is being requested. A token that a server has refused is discarded immediately, unless no other may be
/// requested: one resource that refuses every token must not leave the callers of others without one.
package struct TokenMachine: Sendable {
    /// The ID of a caller that waits for a token.
    package typealias Waiter = UInt64

    /// The action for a caller that needs a token.
    package enum Decision: Sendable, Hashable {
        /// Uses this token.
        case use(AccessToken)
        /// Uses this token, and starts a refresh.
        case useAndRefresh(AccessToken)
        /// Waits for the refresh that is under way.
        case wait
        /// Waits, and starts a refresh.
        case waitAndRefresh
        /// Fails: there were too many refreshes recently, so the server's tokens do not work.
        case refuse
    }

    /// The default of the most refreshes within a window.
    package static let maxRefreshes = 5
    /// The default of the period in which refreshes are counted.
    package static let window = Duration.seconds(30)

    private let maxRefreshes: Int
    private let window: Duration
    private var current: AccessToken?
    /// The refresh under way; `nil` when idle.
    private var refresh: Refresh?
    /// The times at which the refreshes of the last window began, the oldest first.
    private var begun: [MonotonicInstant] = []

    /// A refresh under way.
    private struct Refresh {
        var waiters: Set<Waiter>
        /// False if the token is only for the waiters, because the machine was reset meanwhile.
        var isKept = true
    }

    /// Creates a machine.
    ///
    /// - Parameters:
    ///   - first: The first token. Default: `nil`, one is requested when it is needed.
    ///   - maxRefreshes: The most refreshes within a window.
    ///   - window: The period in which refreshes are counted.
    package init(
        _ first: AccessToken? = nil, maxRefreshes: Int = TokenMachine.maxRefreshes,
        window: Duration = TokenMachine.window
    ) {
        current = first
        self.maxRefreshes = maxRefreshes
        self.window = window
    }

    /// The callers that wait for a token.
    package var waiters: Set<Waiter> { refresh?.waiters ?? [] }

    // MARK: Events

    /// Handles a caller that needs a token.
    package mutating func need(_ waiter: Waiter, at now: MonotonicInstant) -> Decision {
        let usable = current.flatMap { token in token.expiry.map { now < $0 } ?? true ? token : nil }
        if let usable {
            let isDue = refresh == nil && usable.renewal.map { $0 <= now } ?? false
            // The token is still valid, whether or not a refresh may be started.
            return isDue && beginRefresh(at: now, for: []) ? .useAndRefresh(usable) : .use(usable)
        }
        if refresh != nil {
            refresh?.waiters.insert(waiter)
            return .wait
        }
        return beginRefresh(at: now, for: [waiter]) ? .waitAndRefresh : .refuse
    }

    /// Records the token that the refresh has returned.
    ///
    /// - Returns: The callers that waited for it. They use it even if it expires soon.
    package mutating func refreshed(_ token: AccessToken) -> Set<Waiter> {
        guard let refresh else { return [] }
        if refresh.isKept { current = token }
        self.refresh = nil
        return refresh.waiters
    }

    /// Records that the refresh has failed.
    ///
    /// - Returns: The callers that waited for it. A token that is still valid remains in use.
    package mutating func failed() -> Set<Waiter> {
        defer { refresh = nil }
        return waiters
    }

    /// Removes a caller that no longer waits.
    ///
    /// The refresh continues for the other callers and for later ones.
    ///
    /// - Returns: True if the caller was waiting.
    package mutating func canceled(_ waiter: Waiter) -> Bool {
        refresh?.waiters.remove(waiter) != nil
    }

    /// The effect of the refusal of a token.
    package enum Rejection: Sendable, Hashable {
        /// The token was the current one, and is discarded.
        case discarded
        /// The token was not the current one: the refusal of an older one says nothing about its successor.
        case outdated
        /// The token is the current one, and stays it: there were too many refreshes recently.
        case kept
    }

    /// Discards a token that a server has refused.
    package mutating func rejected(_ value: String, at now: MonotonicInstant) -> Rejection {
        guard current?.value == value else { return .outdated }
        guard refresh != nil || mayRefresh(at: now) else { return .kept }
        current = nil
        return .discarded
    }

    /// Discards the current token, and that of a refresh under way once its waiters have it.
    ///
    /// The refreshes of the window still count.
    package mutating func reset() {
        current = nil
        refresh?.isKept = false
    }

    private mutating func mayRefresh(at now: MonotonicInstant) -> Bool {
        let window = self.window
        begun.removeAll { $0.advanced(by: window) <= now }
        return begun.count < maxRefreshes
    }

    private mutating func beginRefresh(at now: MonotonicInstant, for waiters: Set<Waiter>) -> Bool {
        guard mayRefresh(at: now) else { return false }
        begun.append(now)
        refresh = Refresh(waiters: waiters)
        return true
    }
}
