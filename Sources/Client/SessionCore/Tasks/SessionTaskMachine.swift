/// The state machine of one task of a session: it consumes requests and events and returns actions.
///
/// ```
/// suspended ──resume──▶ running ──attempt ended──▶ completed
///     ▲  │                │ │
///     │  └───cancel──▶ canceling ──attempt ended──▶ completed
///     └──────suspend──────┘
/// ```
///
/// A new task is suspended. Calls that do not change the state do nothing; `canceling` and `completed` cannot be left
/// by calls. If an attempt ended only because the task was suspended, resuming the task starts another one.
struct SessionTaskMachine: Sendable {
    /// The visible states of a task.
    typealias State = SessionTask.State

    /// An action that the task performs.
    enum Action: Sendable, Hashable {
        /// No action.
        case none
        /// Start an attempt.
        case start
        /// Suspend the attempt.
        case suspend
        /// Resume the attempt.
        case resume
        /// Close the attempt's connection.
        case close
        /// Report the end of the task, with the outcome of its attempt.
        case complete
        /// Report the end of the task as canceled, whatever the outcome of its attempt, if there was one.
        case completeCanceled
    }

    private(set) var state = State.suspended
    /// True while an attempt runs.
    private(set) var isAttempting = false

    mutating func resume() -> Action {
        guard state == .suspended else { return .none }
        state = .running
        if isAttempting { return .resume }
        isAttempting = true
        return .start
    }

    mutating func suspend() -> Action {
        guard state == .running else { return .none }
        state = .suspended
        return .suspend
    }

    mutating func cancel() -> Action {
        switch state {
        case .canceling, .completed:
            return .none
        case .running, .suspended:
            guard isAttempting else {
                state = .completed
                return .completeCanceled
            }
            state = .canceling
            return .close
        }
    }

    /// True if another attempt may follow the one that has ended.
    var mayRetry: Bool {
        isAttempting && (state == .running || state == .suspended)
    }

    /// Records the end of the attempt.
    ///
    /// - Parameter mayRestart: True if another one follows: see ``SessionOutcome/mayRestart``.
    mutating func attemptEnded(mayRestart: Bool) -> Action {
        guard isAttempting else { return .none }
        switch state {
        case .suspended where mayRestart:
            isAttempting = false
            return .none
        case .running where mayRestart:
            return .start
        case .running, .suspended:
            isAttempting = false
            state = .completed
            return .complete
        case .canceling:
            isAttempting = false
            state = .completed
            return .completeCanceled
        case .completed:
            return .none
        }
    }
}
