/// The state machine of the suspension of an attempt: its duration, and what it does to the current hop.
///
/// A value without I/O. An attempt is suspended and resumed at any time, whether a hop runs or not. A hop that is
/// suspended for too long loses its connection; each of its suspensions has a number, so that the time of an earlier
/// one does not end it. An attempt that is suspended for too long before its next hop ends.
struct SuspensionMachine: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The effect of suspension on a hop.
    enum Effect: Sendable, Hashable {
        /// It was never suspended.
        case unaffected
        /// It was suspended and kept its connection.
        case survived
        /// Its connection was closed because it was suspended for too long.
        case expired
    }

    /// An action that the control of the attempt performs.
    enum Action: Sendable, Hashable {
        /// No action: the event changes nothing.
        case none
        /// Suspend the requests of the attempt, and count the time of the current hop's suspension with this number;
        /// `nil` if no hop runs.
        case suspend(hop: Int?)
        /// Resume the requests of the attempt, and let a hop that waits begin.
        case resume
        /// Close the connection of the current hop.
        case closeHop
        /// Let the attempt end, which waits for its next hop.
        case endWait
    }

    /// The beginning of the current suspension; `nil` if the attempt is not suspended.
    private var since: Instant?
    /// The duration of the earlier suspensions.
    private var before = Duration.zero
    /// The number of the last suspension of a hop.
    private var lastNumber = 0
    /// The effect on the current hop; `nil` if none runs.
    private var effect: Effect?
    /// True if the attempt was suspended for too long before its next hop.
    private(set) var hasWaitedTooLong = false

    /// Creates the machine of an attempt that has not begun.
    ///
    /// - Parameter since: The time since which it is suspended; `nil` if it is not.
    init(since: Instant? = nil) {
        self.since = since
    }

    /// True if the attempt is suspended.
    var isSuspended: Bool { since != nil }

    /// True if the next hop has to wait.
    var mustWait: Bool { isSuspended && !hasWaitedTooLong }

    /// Returns the duration of all suspensions up to a time.
    func duration(at now: Instant) -> Duration {
        before + (since?.duration(to: now) ?? .zero)
    }

    /// Returns true if the current hop is suspended since the suspension with this number.
    func isHopSuspended(number: Int) -> Bool {
        isSuspended && effect != nil && lastNumber == number
    }

    // MARK: Events

    /// Suspends the attempt.
    mutating func suspend(at now: Instant) -> Action {
        guard !isSuspended else { return .none }
        since = now
        return .suspend(hop: suspendHop())
    }

    /// Resumes the attempt.
    mutating func resume(at now: Instant) -> Action {
        guard isSuspended else { return .none }
        before = duration(at: now)
        since = nil
        return .resume
    }

    /// Records that a hop has begun, which is suspended at once if the attempt is.
    mutating func hopDidBegin() -> Action {
        effect = .unaffected
        return isSuspended ? .suspend(hop: suspendHop()) : .none
    }

    /// Records that the hop has ended.
    ///
    /// - Returns: The effect that suspension had on it.
    mutating func hopDidEnd() -> Effect {
        defer { effect = nil }
        return effect ?? .unaffected
    }

    /// Records that the suspension with this number has lasted for as long as a hop keeps its connection.
    mutating func timeIsOver(number: Int) -> Action {
        guard isHopSuspended(number: number) else { return .none }
        effect = .expired
        return .closeHop
    }

    /// Records that the attempt comes to its next hop, which may have to wait.
    mutating func willWait() {
        hasWaitedTooLong = false
    }

    /// Records that the attempt has waited for its next hop for as long as a hop keeps its connection.
    mutating func waitIsOver() -> Action {
        guard isSuspended else { return .none }
        hasWaitedTooLong = true
        return .endWait
    }

    private mutating func suspendHop() -> Int? {
        guard let effect else { return nil }
        if effect == .unaffected { self.effect = .survived }
        lastNumber += 1
        return lastNumber
    }
}
