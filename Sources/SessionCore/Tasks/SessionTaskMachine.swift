/// The life of one task of a session as a value: what is asked of it goes in, what is to be done comes out.
///
/// ```
/// suspended ──resume──▶ running ──attempt ended──▶ completed
///     ▲  │                │ │
///     │  └───cancel──▶ canceling ──attempt ended──▶ completed
///     └──────suspend──────┘
/// ```
///
/// A new task is suspended. Same-state calls do nothing; `canceling` and `completed` are left by nothing but the end.
/// An attempt that ended only as the task was suspended leaves a task that makes another when it goes on.
struct SessionTaskMachine: Sendable {
    /// The states of a task, as they are shown.
    typealias State = SessionTask.State

    /// What the task has to do.
    enum Action: Sendable, Hashable {
        /// Nothing.
        case none
        /// Make an attempt.
        case start
        /// Let the attempt stand still.
        case hold
        /// Let the attempt go on.
        case letGo
        /// Close the attempt's connection.
        case close
        /// Tell everybody that the task is over: by what its attempt was.
        case complete
        /// Tell everybody that the task is over: it was cancelled, whatever its attempt was, if there was one.
        case completeCanceled
    }

    private(set) var state = State.suspended
    /// An attempt is being made.
    private(set) var isAttempting = false

    mutating func resume() -> Action {
        guard state == .suspended else { return .none }
        state = .running
        if isAttempting { return .letGo }
        isAttempting = true
        return .start
    }

    mutating func suspend() -> Action {
        guard state == .running else { return .none }
        state = .suspended
        return .hold
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

    /// The attempt has ended.
    ///
    /// - Parameter mayRestart: It ended only as the task was suspended.
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
