/// When one direction of an attempt must wait, so that it does not move more than it may.
///
/// Bytes are counted when they have moved; what was too much is waited for before the next. A wait that is over soon is
/// left to the next bytes: so many timers would cost more than they are worth.
///
/// ```text
///           bytes, too many            the time is over
/// flowing ──────────────────▶ waiting ──────────────────▶ flowing
///                              │   ▲
///                      suspend │   │ resume
///                              ▼   │
///                            standing
/// ```
/// A value: what it says is done after it has been left.
struct PacingMachine: Sendable {
    /// What is to be done.
    enum Action: Sendable, Hashable {
        /// Nothing.
        case none
        /// Wait so long, then call ``PacingMachine/timeIsOver(number:)`` with this number; a timer that runs is cancelled.
        case wait(Duration, number: Int)
        /// Cancel the timer.
        case stopTimer
        /// Cancel the timer, if one runs, and go on moving bytes.
        case goOn
    }

    private enum Position: Sendable {
        case flowing
        case waiting
        case standing
    }

    /// Shorter waits are not made by themselves.
    static let shortestWait = Duration.milliseconds(5)

    private var position = Position.flowing
    private var isSuspended = false
    /// It has waited for its turn: what moves next need not wait again, whatever the others have moved meanwhile.
    private var isGranted = false
    /// The attempt's own pace; `nil` when it has none.
    private var bucket: TokenBucket?
    /// The number of the last timer.
    private var number = 0

    /// Whether bytes have to wait.
    var isPaused: Bool {
        if case .flowing = position { false } else { true }
    }

    /// Whether it has a pace of its own.
    var hasOwnPace: Bool { bucket != nil }

    /// Counts bytes that have moved.
    mutating func count(_ bytes: Int, at now: ContinuousClock.Instant) {
        bucket?.spend(bytes, at: now)
    }

    /// Bytes have moved and are counted.
    ///
    /// - Parameters:
    ///   - others: How long the session wants to wait.
    ///   - now: When.
    /// - Returns: What to do; no more may move while ``isPaused``.
    mutating func didMove(others: Duration, at now: ContinuousClock.Instant) -> Action {
        guard !isPaused else { return .none }
        return pause(others: others, at: now) ?? .none
    }

    /// Bytes are about to move.
    ///
    /// - Returns: What to do; none may move while ``isPaused``. Parameters as for ``didMove(others:at:)``.
    mutating func willMove(others: Duration, at now: ContinuousClock.Instant) -> Action {
        guard !isGranted else {
            isGranted = false
            return .none
        }
        return didMove(others: others, at: now)
    }

    private mutating func pause(others: Duration, at now: ContinuousClock.Instant) -> Action? {
        let wait = max(others, bucket?.timeUntilPaid(at: now) ?? .zero)
        guard wait >= Self.shortestWait else { return nil }
        guard !isSuspended else {
            position = .standing
            return Action.none
        }
        position = .waiting
        number += 1
        return .wait(wait, number: number)
    }

    /// A timer has run out; `number` is its own.
    mutating func timeIsOver(number: Int) -> Action {
        guard isWaiting(number: number) else { return .none }
        return goOn()
    }

    /// Whether the timer with this number is still wanted.
    func isWaiting(number: Int) -> Bool {
        if case .waiting = position { number == self.number } else { false }
    }

    /// The attempt stands still.
    mutating func suspend() -> Action {
        isSuspended = true
        guard case .waiting = position else { return .none }
        position = .standing
        return .stopTimer
    }

    /// The attempt goes on.
    mutating func resume(others: Duration, at now: ContinuousClock.Instant) -> Action {
        isSuspended = false
        guard case .standing = position else { return .none }
        return goOnOrWait(others: others, at: now)
    }

    /// The attempt gets a pace of its own, or another, or none.
    ///
    /// What it has moved too much counts on.
    mutating func setPace(_ bytesPerSecond: Int64?, others: Duration, at now: ContinuousClock.Instant) -> Action {
        bucket = bytesPerSecond.map { pace in
            var next = TokenBucket(bytesPerSecond: pace, at: now)
            if let bucket { next.takeOver(bucket, at: now) }
            return next
        }
        guard case .waiting = position else { return .none }
        return goOnOrWait(others: others, at: now)
    }

    private mutating func goOnOrWait(others: Duration, at now: ContinuousClock.Instant) -> Action {
        position = .flowing
        return pause(others: others, at: now) ?? goOn()
    }

    private mutating func goOn() -> Action {
        position = .flowing
        isGranted = true
        return .goOn
    }

    /// The transfer has ended, or begins.
    mutating func stop() -> Action {
        let hadTimer = if case .waiting = position { true } else { false }
        position = .flowing
        isGranted = false
        return hadTimer ? .stopTimer : .none
    }
}
