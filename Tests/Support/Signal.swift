import Locking

/// Something that happens once, which a test waits for instead of sleeping.
package final class Signal<Value: Sendable>: Sendable {
    private enum State {
        case pending([CheckedContinuation<Value, Never>])
        case sent(Value)
    }

    private let state = Mutex(State.pending([]))

    package init() {}

    /// It has happened.
    ///
    /// Later calls change nothing.
    package func send(_ value: Value) {
        let waiters = state.withLock { state -> [CheckedContinuation<Value, Never>] in
            guard case .pending(let waiters) = state else { return [] }
            state = .sent(value)
            return waiters
        }
        for waiter in waiters {
            waiter.resume(returning: value)
        }
    }

    /// Whether it has happened.
    package var isSent: Bool {
        state.withLock { if case .sent = $0 { true } else { false } }
    }

    /// Waits until it has happened.
    ///
    /// Does not end when the task is cancelled.
    package func wait() async -> Value {
        let value = await withCheckedContinuation { continuation in
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
        // The thread sanitizer does not see what a continuation orders; a lock it does.
        state.withLock { _ in }
        return value
    }
}

extension Signal where Value == Void {
    /// It has happened.
    package func send() {
        send(())
    }
}
