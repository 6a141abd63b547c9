import ErrandLocking

/// An event that occurs once, and that a test awaits instead of sleeping.
package final class Signal<Value: Sendable>: Sendable {
    private enum State {
        case pending([Continuation<Value>])
        case sent(Value)
    }

    private let state = Mutex(State.pending([]))

    package init() {}

    /// Records the event.
    ///
    /// Later calls have no effect.
    package func send(_ value: Value) {
        let waiters = state.withLock { state -> [Continuation<Value>] in
            guard case .pending(let waiters) = state else { return [] }
            state = .sent(value)
            return waiters
        }
        for waiter in waiters {
            waiter.resume(returning: value)
        }
    }

    /// True if the event has occurred.
    package var isSent: Bool {
        state.withLock { if case .sent = $0 { true } else { false } }
    }

    /// Waits for the event.
    ///
    /// The wait does not end when the task is canceled.
    package func wait() async -> Value {
        await withContinuation { continuation in
            let value = state.withLock { state -> Value? in
                switch state {
                case .pending(let waiters):
                    state = .pending(waiters + [continuation])
                    return nil
                case .sent(let value):
                    return value
                }
            }
            if let value {
                continuation.resume(returning: value)
            }
        }
    }
}

extension Signal where Value == Void {
    /// Records the event.
    package func send() {
        send(())
    }
}
