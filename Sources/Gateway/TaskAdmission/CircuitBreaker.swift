import DequeModule
package import ErrandSessionCore
package import ErrandTaskStore

/// A circuit breaker, which stops attempts to an upstream that keeps failing, and detects its recovery.
///
/// ```text
/// closed ──max failures within the window──▶ open ──open time has passed──▶ half open ──the probe succeeds──▶ closed
///                                             ▲                                 │
///                                             └─────────the probe fails─────────┘
/// ```
///
/// Half open, one attempt at a time is allowed, the probe. After a probe with a neutral outcome (canceled or lost)
/// another one is allowed. Attempts from before the circuit opened have no effect when they end.
///
/// A value without a clock; times before the last one have no effect.
package struct CircuitBreaker: Sendable, Hashable {
    /// The outcome of an attempt, as a statement about its upstream.
    package enum Outcome: Sendable, Hashable, CaseIterable {
        /// The upstream answered normally.
        case success
        /// The upstream was unreachable, or answered with a server error.
        case failure
        /// The attempt says nothing about the upstream.
        case neutral
    }

    /// The state of the circuit.
    package enum State: Sendable, Hashable {
        /// Attempts are allowed.
        case closed
        /// No attempts are allowed until this time.
        case open(until: ContinuousClock.Instant)
        /// One attempt at a time is allowed.
        case halfOpen
    }

    /// A change of the state by the outcome of an attempt.
    ///
    /// A circuit that a failed probe opens again has not changed.
    package enum Change: Sendable, Hashable {
        /// The failures within the window have opened the circuit.
        case opened
        /// A successful probe has closed it.
        case closed
    }

    private enum Position: Sendable, Hashable {
        case closed
        case open(until: ContinuousClock.Instant)
        case halfOpen(probe: TaskID?)
    }

    /// The configuration in force.
    package private(set) var configuration: CircuitBreakerConfiguration
    private var position = Position.closed
    /// The times of the failures in the window, oldest first, at most as many as open the circuit.
    private var failures: Deque<ContinuousClock.Instant> = []

    /// Creates a closed circuit.
    package init(_ configuration: CircuitBreakerConfiguration = CircuitBreakerConfiguration()) {
        self.configuration = configuration
    }

    /// Replaces the configuration.
    ///
    /// An open circuit keeps its time of reopening. Without a number of failures the circuit stays closed.
    package mutating func configure(_ configuration: CircuitBreakerConfiguration) {
        self.configuration = configuration
        guard isOn else {
            position = .closed
            failures = []
            return
        }
        while failures.count > configuration.failures { failures.removeFirst() }
    }

    private var isOn: Bool { configuration.failures > 0 }

    /// Returns the state of the circuit.
    package func state(at now: ContinuousClock.Instant) -> State {
        switch position {
        case .closed: .closed
        case .open(let until): now < until ? .open(until: until) : .halfOpen
        case .halfOpen: .halfOpen
        }
    }

    /// Returns the number of failures within the window; while the circuit is open, of those that opened it.
    package func failureCount(at now: ContinuousClock.Instant) -> Int {
        guard case .closed = position else { return failures.count }
        return failures.count { isRecent($0, at: now) }
    }

    /// Starts the attempt of `task`, if allowed.
    ///
    /// - Returns: True if the attempt may start.
    package mutating func begin(_ task: TaskID, at now: ContinuousClock.Instant) -> Bool {
        guard isReady(at: now) else { return false }
        if case .halfOpen = state(at: now) { position = .halfOpen(probe: task) }
        return true
    }

    /// Returns true if an attempt would be allowed.
    package func isReady(at now: ContinuousClock.Instant) -> Bool {
        switch position {
        case .closed: true
        case .open(let until): now >= until
        case .halfOpen(let probe): probe == nil
        }
    }

    /// Returns true if the admitted attempt of `task` may still start; when half open, only the probe.
    package func stillLets(_ task: TaskID) -> Bool {
        switch position {
        case .closed: true
        case .open: false
        case .halfOpen(let probe): probe == task
        }
    }

    /// Records the outcome of the attempt of `task`.
    ///
    /// - Returns: The change of the state; `nil` if there is none.
    @discardableResult
    package mutating func note(_ outcome: Outcome, of task: TaskID, at now: ContinuousClock.Instant) -> Change? {
        switch position {
        case .closed:
            if outcome == .failure { fail(at: now) }
            if case .open = position { return .opened }
        case .halfOpen(probe: task):
            switch outcome {
            case .success:
                position = .closed
                failures = []
                return .closed
            case .failure:
                open(at: now)
            case .neutral:
                position = .halfOpen(probe: nil)
            }
        case .halfOpen, .open:
            break
        }
        return nil
    }

    private mutating func fail(at now: ContinuousClock.Instant) {
        guard isOn else { return }
        failures.append(max(now, failures.last ?? now))
        while let first = failures.first, failures.count > configuration.failures || !isRecent(first, at: now) {
            failures.removeFirst()
        }
        if failures.count >= configuration.failures { open(at: now) }
    }

    /// Returns the time until which the circuit is open; `now` if it is half open, `nil` if it is closed.
    func openEnd(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        switch position {
        case .closed: nil
        case .open(let until): until
        case .halfOpen: now
        }
    }

    /// Opens the circuit as an earlier process had opened it, no longer than the configuration allows.
    ///
    /// It is half open if the time is over.
    ///
    /// - Returns: `false` if the configuration has no circuit breaker.
    mutating func open(until end: ContinuousClock.Instant, at now: ContinuousClock.Instant) -> Bool {
        guard isOn else { return false }
        position = .open(until: min(end, now.advanced(by: configuration.open)))
        failures = Deque(repeating: now, count: configuration.failures)
        return true
    }

    private mutating func open(at now: ContinuousClock.Instant) {
        position = .open(until: now.advanced(by: configuration.open))
    }

    private func isRecent(_ failure: ContinuousClock.Instant, at now: ContinuousClock.Instant) -> Bool {
        failure.duration(to: now) < configuration.window
    }
}
