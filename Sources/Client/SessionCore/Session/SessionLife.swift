import ErrandLocking

/// The life cycle of a session, with its running tasks and attempts: a value.
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
    private var lastWaiter = 0
    /// The continuations that wait for the end, by the numbers of their callers.
    private var waiters: [Int: Continuation<Void>] = [:]

    /// The tasks that have not ended, in order.
    var tasks: [SessionTask] {
        tasksByNumber.values.sorted { $0.id.number < $1.id.number }
    }

    /// Returns the next number.
    mutating func number() -> SessionTaskID {
        lastNumber += 1
        return SessionTaskID(number: lastNumber)
    }

    /// Adds a new task, created with its number; returns `nil` if the session is closed.
    mutating func accept(_ make: (SessionTaskID) -> SessionTask) -> SessionTask? {
        guard state == .open else { return nil }
        let task = make(number())
        tasksByNumber[task.id.number] = task
        return task
    }

    /// Records the beginning of an attempt; returns false if the session is closed and did not accept the attempt's
    /// task before.
    ///
    /// - Parameter running: The control of the attempt to which this one belongs; `nil` for none.
    mutating func begin(_ id: SessionTaskID, _ control: AttemptControl, beside running: AttemptControl?) -> Bool {
        guard state == .open || tasksByNumber[id.number] != nil || controls.values.contains(where: { $0 === running })
        else { return false }
        controls[id.number] = control
        return true
    }

    /// Records that an attempt has ended.
    ///
    /// - Returns: The continuations that wait for the end of the session, if it has ended now.
    mutating func end(_ id: SessionTaskID) -> [Continuation<Void>]? {
        controls[id.number] = nil
        return endIfIdle()
    }

    /// Records that a task has ended; returns as ``end(_:)``.
    mutating func remove(_ task: SessionTask) -> [Continuation<Void>]? {
        tasksByNumber[task.id.number] = nil
        return endIfIdle()
    }

    /// Closes the session.
    ///
    /// - Returns: The running tasks and attempts, and the number by which the caller waits for the end.
    mutating func close() -> (tasks: [SessionTask], controls: [AttemptControl], waiter: Int) {
        if state == .open { state = .closing }
        lastWaiter += 1
        return (tasks, Array(controls.values), lastWaiter)
    }

    /// Adds a continuation that waits for the end; returns as ``end(_:)``.
    ///
    /// - Parameter number: The number of the caller, from ``close()``.
    mutating func wait(_ continuation: Continuation<Void>, as number: Int) -> [Continuation<Void>]? {
        waiters[number] = continuation
        return state == .ended ? takeWaiters() : endIfIdle()
    }

    /// Removes a continuation that waits for the end, and returns it; `nil` if the caller does not wait.
    mutating func stopWaiting(_ number: Int) -> Continuation<Void>? {
        waiters.removeValue(forKey: number)
    }

    /// Ends a closed session that has neither tasks nor attempts; returns as ``end(_:)``.
    private mutating func endIfIdle() -> [Continuation<Void>]? {
        guard state == .closing, tasksByNumber.isEmpty, controls.isEmpty else { return nil }
        state = .ended
        return takeWaiters()
    }

    /// Removes all continuations, and returns them.
    private mutating func takeWaiters() -> [Continuation<Void>] {
        defer { waiters = [:] }
        return Array(waiters.values)
    }
}
