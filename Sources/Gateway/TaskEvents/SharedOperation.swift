import ErrandLocking

/// An operation that runs once at a time, for all callers that arrive meanwhile, which wait for a limited time.
///
/// An operation that takes longer stays the only one until it ends: callers that arrive before get no value, and at
/// once. Any thread.
package final class SharedOperation<Value: Sendable>: Sendable {
    /// The operation under way.
    private struct Run {
        let number: Int
        /// True if it takes longer than callers wait.
        var isOverdue = false
    }

    private struct State {
        var run: Run?
        /// The callers that wait for it.
        var waiting: [Continuation<Value?>] = []
        /// The number of operations so far.
        var runs = 0

        mutating func takeWaiting() -> [Continuation<Value?>] {
            defer { waiting = [] }
            return waiting
        }
    }

    private enum Step {
        case refuses
        case waits
        case starts(Int)
    }

    private let patience: Duration
    private let timer: SharedTimer
    private let state = Mutex(State())

    /// Creates an instance without an operation.
    ///
    /// - Parameters:
    ///   - patience: The longest time that a caller waits.
    ///   - timer: Measures that time.
    package init(patience: Duration, timer: SharedTimer) {
        self.patience = patience
        self.timer = timer
    }

    /// The number of callers that wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Returns the value of the operation under way, or of a new one; `nil` if it takes too long.
    ///
    /// The wait does not end with the calling task, and the operation is not canceled with it, because others wait too.
    ///
    /// - Parameter operation: Not performed if one is under way.
    package func value(of operation: @escaping @Sendable () async -> Value) async -> Value? {
        await withContinuation { (caller: Continuation<Value?>) in
            switch admit(caller) {
            case .refuses: caller.resume(returning: nil)
            case .waits: break
            case .starts(let run): start(run, operation)
            }
        }
    }

    private func admit(_ caller: Continuation<Value?>) -> Step {
        state.withLock { state -> Step in
            if let run = state.run, run.isOverdue { return .refuses }
            state.waiting.append(caller)
            guard state.run == nil else { return .waits }
            state.runs += 1
            state.run = Run(number: state.runs)
            return .starts(state.runs)
        }
    }

    private func start(_ run: Int, _ operation: @escaping @Sendable () async -> Value) {
        let alarm = timer.set(after: patience, grain: .milliseconds(100)) { [weak self] in self?.giveUp(run) }
        Task {
            let value = await operation()
            timer.cancel(alarm)
            conclude(value)
        }
    }

    private func conclude(_ value: Value) {
        let waiting = state.withLock { state -> [Continuation<Value?>] in
            state.run = nil
            return state.takeWaiting()
        }
        for caller in waiting { caller.resume(returning: value) }
    }

    /// Answers the callers of an operation that has not ended.
    private func giveUp(_ run: Int) {
        let waiting = state.withLock { state -> [Continuation<Value?>] in
            guard state.run?.number == run else { return [] }
            state.run?.isOverdue = true
            return state.takeWaiting()
        }
        for caller in waiting { caller.resume(returning: nil) }
    }
}
