/// What a session has going on, and whether it accepts more: a value.
///
/// ```
/// open ──close──▶ closing ──the last task and attempt end──▶ ended
/// ```
struct SessionLife {
    private enum State {
        case open
        case closing
        case ended
    }

    private var state = State.open
    private var lastNumber = 0
    private var tasksByNumber: [Int: SessionTask] = [:]
    private var controls: [Int: AttemptControl] = [:]
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// The tasks that have not ended, in their order.
    var tasks: [SessionTask] {
        tasksByNumber.values.sorted { $0.id.number < $1.id.number }
    }

    /// The next number.
    mutating func number() -> SessionTaskID {
        lastNumber += 1
        return SessionTaskID(number: lastNumber)
    }

    /// Takes in a new task, made with its number; `nil` when none are accepted.
    mutating func accept(_ make: (SessionTaskID) -> SessionTask) -> SessionTask? {
        guard state == .open else { return nil }
        let task = make(number())
        tasksByNumber[task.id.number] = task
        return task
    }

    /// Whether an attempt may begin: of a task that was accepted before the session was closed, or of an open session.
    mutating func begin(_ id: SessionTaskID, _ control: AttemptControl) -> Bool {
        guard state == .open || tasksByNumber[id.number] != nil else { return false }
        controls[id.number] = control
        return true
    }

    /// Notes that an attempt has ended.
    ///
    /// - Returns: Who waits for the end of the session, when this was it.
    mutating func end(_ id: SessionTaskID) -> [CheckedContinuation<Void, Never>]? {
        controls[id.number] = nil
        return endIfIdle()
    }

    /// Notes that a task has ended; returns as ``end(_:)``.
    mutating func remove(_ task: SessionTask) -> [CheckedContinuation<Void, Never>]? {
        tasksByNumber[task.id.number] = nil
        return endIfIdle()
    }

    /// Accepts nothing more.
    ///
    /// - Returns: What is going on.
    mutating func close() -> (tasks: [SessionTask], controls: [AttemptControl]) {
        if state == .open { state = .closing }
        return (tasks, Array(controls.values))
    }

    /// Adds somebody who waits for the end; returns as ``end(_:)``.
    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) -> [CheckedContinuation<Void, Never>]? {
        waiters.append(continuation)
        if state == .ended {
            defer { waiters = [] }
            return waiters
        }
        return endIfIdle()
    }

    private mutating func endIfIdle() -> [CheckedContinuation<Void, Never>]? {
        guard state == .closing, tasksByNumber.isEmpty, controls.isEmpty else { return nil }
        state = .ended
        defer { waiters = [] }
        return waiters
    }
}
