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
///
/// A caller that comes after a reset does not get the token of a refresh from before it. It waits until that one has
/// ended, and the next begins at once (``followUp(at:)``).
///
/// A refresh that fails does not count against the limit of refreshes. Until a growing pause after it is over, no other
/// begins, so that an endpoint in trouble is not asked for each caller.
package struct TokenMachine: Sendable {
    /// The ID of a caller that waits for a token.
    package typealias Waiter = UInt64

    /// The action for a caller that needs a token.
    package enum Decision: Sendable, Hashable {
        /// Uses this token.
        case use(AccessToken)
        /// Uses this token, and starts a refresh.
        case useAndRefresh(AccessToken)
        /// Waits for the refresh that is under way, or for the one after it.
        case wait
        /// Waits, and starts a refresh.
        case waitAndRefresh
        /// Fails with the error of the last refresh, because the pause after it is not over.
        case failAgain
        /// Fails: there were too many refreshes recently, so the server's tokens do not work.
        case refuse
    }

    /// The default of the most refreshes within a window.
    package static let maxRefreshes = 5
    /// The default of the period in which refreshes are counted.
    package static let window = Duration.seconds(30)
    /// The pause after a failed refresh, which doubles with each that follows.
    package static let firstPause = Duration.milliseconds(100)
    /// The longest pause after a failed refresh.
    package static let longestPause = Duration.seconds(5)

    private let maxRefreshes: Int
    private let window: Duration
    private var current: AccessToken?
    /// The refresh under way; `nil` when idle.
    private var refresh: Refresh?
    /// The callers that came after a reset, while a refresh from before it was under way.
    private var later: Set<Waiter> = []
    /// The times at which the refreshes of the last window that returned a token began, the oldest first.
    private var begun: [MonotonicInstant] = []
    /// The pause after the last refresh; `nil` if that has not failed.
    private var pause: Pause?

    /// A refresh under way.
    private struct Refresh {
        var waiters: Set<Waiter>
        let start: MonotonicInstant
        /// False if the token is only for the waiters, because the machine was reset meanwhile.
        var isKept = true
    }

    /// A pause after a failed refresh.
    private struct Pause {
        let length: Duration
        let end: MonotonicInstant
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
    package var waiters: Set<Waiter> { (refresh?.waiters ?? []).union(later) }

    /// True if a refresh is under way.
    package var isRefreshing: Bool { refresh != nil }

    // MARK: Events

    /// Handles a caller that needs a token.
    package mutating func need(_ waiter: Waiter, at now: MonotonicInstant) -> Decision {
        let usable = current.flatMap { token in token.expiry.map { now < $0 } ?? true ? token : nil }
        if let usable {
            let isDue = refresh == nil && usable.renewal.map { $0 <= now } ?? false
            // The token is still valid, whether or not a refresh may be started.
            guard isDue, !isPausing(at: now), mayRefresh(at: now) else { return .use(usable) }
            refresh = Refresh(waiters: [], start: now)
            return .useAndRefresh(usable)
        }
        if let refresh {
            if refresh.isKept { self.refresh?.waiters.insert(waiter) } else { later.insert(waiter) }
            return .wait
        }
        guard !isPausing(at: now) else { return .failAgain }
        guard mayRefresh(at: now) else { return .refuse }
        refresh = Refresh(waiters: [waiter], start: now)
        return .waitAndRefresh
    }

    /// Records the token that the refresh has returned; ``followUp(at:)`` comes next.
    ///
    /// - Returns: The callers that waited for it. They use it even if it expires soon.
    package mutating func refreshed(_ token: AccessToken) -> Set<Waiter> {
        guard let refresh else { return [] }
        if refresh.isKept { current = token }
        let window = self.window
        begun.removeAll { $0.advanced(by: window) <= refresh.start }
        begun.append(refresh.start)
        pause = nil
        self.refresh = nil
        return refresh.waiters
    }

    /// Records that the refresh has failed; ``followUp(at:)`` comes next.
    ///
    /// - Returns: The callers that waited for it. A token that is still valid remains in use.
    package mutating func failed(at now: MonotonicInstant) -> Set<Waiter> {
        guard let refresh else { return [] }
        // The failure of a refresh from before a reset says nothing about the next one.
        if refresh.isKept {
            let length = pause.map { min($0.length * 2, Self.longestPause) } ?? Self.firstPause
            pause = Pause(length: length, end: now.advanced(by: length))
        }
        self.refresh = nil
        return refresh.waiters
    }

    /// The action for the callers that came after a reset, once the refresh from before it has ended.
    package enum FollowUp: Sendable, Hashable {
        /// There are no such callers.
        case nothing
        /// Starts a refresh, for which they wait.
        case refresh
        /// They fail: there were too many refreshes recently.
        case refuse(Set<Waiter>)
    }

    /// Handles the callers that came after a reset, when a refresh has ended.
    package mutating func followUp(at now: MonotonicInstant) -> FollowUp {
        guard refresh == nil, !later.isEmpty else { return .nothing }
        let waiters = later
        later = []
        guard mayRefresh(at: now) else { return .refuse(waiters) }
        refresh = Refresh(waiters: waiters, start: now)
        return .refresh
    }

    /// Removes a caller that no longer waits.
    ///
    /// The refresh continues for the other callers and for later ones.
    ///
    /// - Returns: True if the caller was waiting.
    package mutating func canceled(_ waiter: Waiter) -> Bool {
        refresh?.waiters.remove(waiter) != nil || later.remove(waiter) != nil
    }

    /// The effect of the refusal of a token.
    package enum Rejection: Sendable, Hashable {
        /// The token was the current one, and is discarded.
        case discarded
        /// The token was not the current one: the refusal of an older one says nothing about its successor.
        case outdated
        /// The token is the current one, and stays it: there were too many refreshes recently.
        case kept
        /// The token is the current one, and stays it: the pause after a failed refresh is not over.
        case keptInPause
    }

    /// Discards a token that a server has refused.
    package mutating func rejected(_ value: String, at now: MonotonicInstant) -> Rejection {
        guard current?.value == value else { return .outdated }
        if refresh == nil {
            guard !isPausing(at: now) else { return .keptInPause }
            guard mayRefresh(at: now) else { return .kept }
        }
        current = nil
        return .discarded
    }

    /// Discards the current token, and that of a refresh under way once its waiters have it; callers that come later
    /// wait for the next refresh.
    ///
    /// The refreshes of the window still count; a pause after a failed one ends.
    package mutating func reset() {
        current = nil
        pause = nil
        refresh?.isKept = false
    }

    /// Returns true if fewer refreshes than the maximum have begun within the window.
    private func mayRefresh(at now: MonotonicInstant) -> Bool {
        begun.count(where: { now < $0.advanced(by: window) }) < maxRefreshes
    }

    /// Returns true if the pause after a failed refresh is not over.
    private func isPausing(at now: MonotonicInstant) -> Bool {
        pause.map { now < $0.end } ?? false
    }
}
