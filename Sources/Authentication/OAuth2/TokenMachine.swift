package import Transfer

/// Who gets which access token and when a new one is asked for: the decisions of OAuth 2 without a clock or a network.
///
/// ```
///            need ▶ refresh                 refreshed: those who wait have the token
///   idle ───────────────────────▶ refreshing ───────────────────────▶ idle
///                                     │    failed: those who wait have the failure
///                                     └─────────────────────────────▶ idle
/// ```
/// There is one refresh at a time, for everybody. The current token serves until it expires, also while a new one is
/// on its way because it soon will; a server that has refused it makes it stale at once.
package struct TokenMachine: Sendable {
    /// Somebody who waits for a token.
    package typealias Waiter = UInt64

    /// What is to be done for somebody who needs a token.
    package enum Decision: Sendable, Hashable {
        /// Here is one.
        case use(AccessToken)
        /// Here is one, and a new one is to be asked for.
        case useAndRefresh(AccessToken)
        /// It will come: the waiter is remembered.
        case wait
        /// As ``wait``, and a new one is to be asked for.
        case waitAndRefresh
        /// There were too many refreshes of late: the server's tokens are not worth asking for.
        case refuse
    }

    /// The most refreshes within ``window``.
    package static let maxRefreshes = 5
    /// The time that refreshes are counted in.
    package static let window = Duration.seconds(30)

    private var current: AccessToken?
    /// `nil` when idle.
    private var refresh: Refresh?
    /// When the refreshes of the last window began, the oldest first.
    private var begun: [MonotonicInstant] = []

    /// A refresh under way.
    private struct Refresh {
        var waiters: Set<Waiter>
    }

    /// Creates a machine without a token.
    package init() {}

    /// Who waits.
    package var waiters: Set<Waiter> { refresh?.waiters ?? [] }

    // MARK: Events

    /// Somebody needs a token.
    package mutating func need(_ waiter: Waiter, at now: MonotonicInstant) -> Decision {
        let usable = current.flatMap { token in token.expiry.map { now < $0 } ?? true ? token : nil }
        if let usable {
            let isDue = refresh == nil && usable.renewal.map { $0 <= now } ?? false
            // Whether there may be a refresh or not: the token serves.
            return isDue && beginRefresh(at: now, for: []) ? .useAndRefresh(usable) : .use(usable)
        }
        if refresh != nil {
            refresh?.waiters.insert(waiter)
            return .wait
        }
        return beginRefresh(at: now, for: [waiter]) ? .waitAndRefresh : .refuse
    }

    /// The refresh has brought a token.
    ///
    /// - Returns: Those who waited for it. It is theirs, even one that is not good for long.
    package mutating func refreshed(_ token: AccessToken) -> Set<Waiter> {
        guard let refresh else { return [] }
        current = token
        self.refresh = nil
        return refresh.waiters
    }

    /// The refresh has brought nothing.
    ///
    /// - Returns: Those who waited for it. A token that still serves goes on serving.
    package mutating func failed() -> Set<Waiter> {
        defer { refresh = nil }
        return waiters
    }

    /// Somebody waits no longer.
    ///
    /// The refresh goes on for the others, and for those to come.
    ///
    /// - Returns: Whether they did until now.
    package mutating func canceled(_ waiter: Waiter) -> Bool {
        refresh?.waiters.remove(waiter) != nil
    }

    /// A server has refused a token.
    ///
    /// Only the current one becomes stale by it: an older one says nothing about its successor.
    package mutating func rejected(_ value: String) {
        if current?.value == value { current = nil }
    }

    private mutating func beginRefresh(at now: MonotonicInstant, for waiters: Set<Waiter>) -> Bool {
        begun.removeAll { $0.advanced(by: Self.window) <= now }
        guard begun.count < Self.maxRefreshes else { return false }
        begun.append(now)
        refresh = Refresh(waiters: waiters)
        return true
    }
}
