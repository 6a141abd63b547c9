/// A state machine that decides when one direction of an attempt must wait to stay within its rate.
///
/// Bytes are counted once transferred; the excess is waited for before the next ones. A short wait is deferred to the
/// next bytes, because a timer for each would cost more than it is worth.
///
/// ```text
///           bytes, too many            the time is over
/// flowing ──────────────────▶ waiting ──────────────────▶ flowing
///                              │   ▲
///                      suspend │   │ resume
///                              ▼   │
///                            standing
/// ```
/// A value: actions are performed after the call returns.
struct PacingMachine: Sendable {
    /// An action to perform.
    enum Action: Sendable, Hashable {
        /// No action.
        case none
        /// Start a timer that calls ``PacingMachine/timeIsOver(number:)`` with this number; cancel a running one.
        case wait(Duration, number: Int)
        /// Cancel the timer.
        case stopTimer
        /// Cancel the timer if one runs, and resume transferring bytes.
        case resumeTransfer
    }

    private enum Position: Sendable {
        case flowing
        /// With the time until which the bytes at the beginning of the wait required it.
        case waiting(until: ContinuousClock.Instant)
        case standing
    }

    /// The minimum duration for which a timer is started.
    static let shortestWait = Duration.milliseconds(5)
    /// The maximum duration of a timer: after it, a longer wait is worked out again, because the session's rate may have
    /// changed.
    static let longestTimer = Duration.seconds(1)

    private var position = Position.flowing
    private var isSuspended = false
    /// True if the next bytes have waited already and need not wait again, even if other transfers have used the rate
    /// meanwhile.
    private var isGranted = false
    /// The attempt's own rate; `nil` if it has none.
    private var bucket: TokenBucket?
    /// The number of the last timer.
    private var number = 0

    /// True if bytes must wait.
    var isPaused: Bool {
        if case .flowing = position { false } else { true }
    }

    /// True if the attempt has its own rate.
    var hasOwnPace: Bool { bucket != nil }

    /// Begins with the present rates, before any byte is transferred.
    ///
    /// The attempt's own rate may have been set by the time of another clock, which says nothing about this one.
    mutating func begin(at now: ContinuousClock.Instant) {
        bucket = bucket.map { TokenBucket(bytesPerSecond: Int64($0.count), at: now) }
    }

    /// Counts transferred bytes.
    mutating func count(_ bytes: Int, at now: ContinuousClock.Instant) {
        bucket?.spend(bytes, at: now)
    }

    /// Decides after bytes were transferred and counted.
    ///
    /// - Parameters:
    ///   - others: The wait that the session's rate requires.
    ///   - now: The time.
    /// - Returns: The action; no more bytes may be transferred while ``isPaused``.
    mutating func didMove(others: Duration, at now: ContinuousClock.Instant) -> Action {
        guard !isPaused else { return .none }
        return pause(others: others, at: now) ?? .none
    }

    /// Decides before bytes are transferred.
    ///
    /// - Returns: The action; no bytes may be transferred while ``isPaused``. Parameters as for
    ///   ``didMove(others:at:)``.
    mutating func willMove(others: Duration, at now: ContinuousClock.Instant) -> Action {
        guard !isGranted else {
            isGranted = false
            return .none
        }
        return didMove(others: others, at: now)
    }

    private mutating func pause(others: Duration, at now: ContinuousClock.Instant) -> Action? {
        let wait = owed(others: others, at: now)
        guard wait >= Self.shortestWait else { return nil }
        guard !isSuspended else {
            position = .standing
            return Action.none
        }
        return startTimer(until: now.advanced(by: wait), at: now)
    }

    private mutating func startTimer(until end: ContinuousClock.Instant, at now: ContinuousClock.Instant) -> Action {
        position = .waiting(until: end)
        number += 1
        return .wait(min(now.duration(to: end), Self.longestTimer), number: number)
    }

    /// Records that the timer with this number has fired.
    ///
    /// The wait ends at its original end, whatever other transfers have spent meanwhile, or earlier if the rates allow it
    /// now. Parameters as for ``didMove(others:at:)``.
    mutating func timeIsOver(number: Int, others: Duration, at now: ContinuousClock.Instant) -> Action {
        guard case .waiting(let end) = position, number == self.number else { return .none }
        let left = min(now.duration(to: end), owed(others: others, at: now))
        guard left >= Self.shortestWait else { return resumeTransfer() }
        return startTimer(until: now.advanced(by: left), at: now)
    }

    /// Returns the time until the bytes so far are paid for, by both rates.
    private func owed(others: Duration, at now: ContinuousClock.Instant) -> Duration {
        max(others, bucket?.timeUntilPaid(at: now) ?? .zero)
    }

    /// Returns true if the timer with this number is still needed.
    func isWaiting(number: Int) -> Bool {
        if case .waiting = position { number == self.number } else { false }
    }

    /// Records that the attempt is suspended.
    mutating func suspend() -> Action {
        isSuspended = true
        guard case .waiting = position else { return .none }
        position = .standing
        return .stopTimer
    }

    /// Records that the attempt is resumed.
    mutating func resume(others: Duration, at now: ContinuousClock.Instant) -> Action {
        isSuspended = false
        guard case .standing = position else { return .none }
        return goOnOrWait(others: others, at: now)
    }

    /// Sets, replaces or removes the attempt's own rate.
    ///
    /// Its previous excess still counts.
    mutating func setPace(_ bytesPerSecond: Int64?, others: Duration, at now: ContinuousClock.Instant) -> Action {
        bucket = bytesPerSecond.map { TokenBucket(bytesPerSecond: $0, at: now, continuing: bucket) }
        guard case .waiting = position else { return .none }
        return goOnOrWait(others: others, at: now)
    }

    private mutating func goOnOrWait(others: Duration, at now: ContinuousClock.Instant) -> Action {
        position = .flowing
        return pause(others: others, at: now) ?? resumeTransfer()
    }

    private mutating func resumeTransfer() -> Action {
        position = .flowing
        isGranted = true
        return .resumeTransfer
    }

    /// Records that the transfer has ended or begins.
    mutating func stop() -> Action {
        let hadTimer = if case .waiting = position { true } else { false }
        position = .flowing
        isGranted = false
        return hadTimer ? .stopTimer : .none
    }
}
