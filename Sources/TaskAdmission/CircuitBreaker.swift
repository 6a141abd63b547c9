import DequeModule
package import SessionCore
package import TaskStore

/// When a session stops asking an upstream that only fails, and finds out whether it is well again.
///
/// ```text
/// closed ──so many failures within the window──▶ open ──its time is over──▶ half open ──the probe succeeds──▶ closed
///                                                 ▲                             │
///                                                 └────────the probe fails──────┘
/// ```
/// Half open, one attempt at a time is let through, the probe. One that says nothing of the upstream (it was canceled or
/// lost) lets another go. Attempts from before the circuit opened, which end later, change nothing.
///
/// A value without a clock; times that go back change nothing.
package struct CircuitBreaker: Sendable, Hashable {
    /// What an attempt has told of its upstream.
    package enum Outcome: Sendable, Hashable, CaseIterable {
        /// It has answered as one that is well does.
        case success
        /// It could not be reached, or answered that it cannot do its work.
        case failure
        /// Nothing.
        case neutral
    }

    /// Whether attempts are let through.
    package enum State: Sendable, Hashable {
        /// All are.
        case closed
        /// None is until then.
        case open(until: ContinuousClock.Instant)
        /// One at a time is.
        case halfOpen
    }

    private enum Position: Sendable, Hashable {
        case closed
        case open(until: ContinuousClock.Instant)
        case halfOpen(probe: TaskID?)
    }

    /// What it was made from.
    package private(set) var configuration: CircuitBreakerConfiguration
    private var position = Position.closed
    /// The moments of the failures that count, oldest first; never more than are needed to open the circuit.
    private var failures: Deque<ContinuousClock.Instant> = []

    /// A closed circuit.
    package init(_ configuration: CircuitBreakerConfiguration = CircuitBreakerConfiguration()) {
        self.configuration = configuration
    }

    /// Takes another configuration.
    ///
    /// An open circuit stays open for as long as it was to be; without a number of failures it is closed for good.
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

    /// Whether attempts are let through.
    package func state(at now: ContinuousClock.Instant) -> State {
        switch position {
        case .closed: .closed
        case .open(let until): now < until ? .open(until: until) : .halfOpen
        case .halfOpen: .halfOpen
        }
    }

    /// The failures that count at present: those within the window, or those that have opened the circuit.
    package func failureCount(at now: ContinuousClock.Instant) -> Int {
        guard case .closed = position else { return failures.count }
        return failures.count { isRecent($0, at: now) }
    }

    /// The attempt of `task` begins, if one is let through.
    ///
    /// - Returns: Whether it may.
    package mutating func begin(_ task: TaskID, at now: ContinuousClock.Instant) -> Bool {
        guard isReady(at: now) else { return false }
        if case .halfOpen = state(at: now) { position = .halfOpen(probe: task) }
        return true
    }

    /// Whether an attempt would be let through.
    package func isReady(at now: ContinuousClock.Instant) -> Bool {
        switch position {
        case .closed: true
        case .open(let until): now >= until
        case .halfOpen(let probe): probe == nil
        }
    }

    /// Whether the attempt of `task`, which was let through, may still begin: half open, only the probe.
    package func stillLets(_ task: TaskID) -> Bool {
        switch position {
        case .closed: true
        case .open: false
        case .halfOpen(let probe): probe == task
        }
    }

    /// The attempt of `task` has ended.
    package mutating func note(_ outcome: Outcome, of task: TaskID, at now: ContinuousClock.Instant) {
        switch position {
        case .closed:
            if outcome == .failure { fail(at: now) }
        case .halfOpen(probe: task):
            switch outcome {
            case .success:
                position = .closed
                failures = []
            case .failure:
                open(at: now)
            case .neutral:
                position = .halfOpen(probe: nil)
            }
        case .halfOpen, .open:
            break
        }
    }

    private mutating func fail(at now: ContinuousClock.Instant) {
        guard isOn else { return }
        failures.append(max(now, failures.last ?? now))
        while let first = failures.first, failures.count > configuration.failures || !isRecent(first, at: now) {
            failures.removeFirst()
        }
        if failures.count >= configuration.failures { open(at: now) }
    }

    private mutating func open(at now: ContinuousClock.Instant) {
        position = .open(until: now.advanced(by: configuration.open))
    }

    private func isRecent(_ failure: ContinuousClock.Instant, at now: ContinuousClock.Instant) -> Bool {
        failure.duration(to: now) < configuration.window
    }
}
