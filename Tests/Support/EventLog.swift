import ErrandLocking

/// A list of events, in order, that lets a test wait for the next ones instead of sleeping.
package final class EventLog<Event: Sendable>: Sendable {
    private struct Waiter {
        let count: Int
        let continuation: Continuation<[Event]>
    }

    private struct State {
        var events: [Event] = []
        var waiters: [Waiter] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// The events so far.
    package var events: [Event] {
        state.withLock { $0.events }
    }

    /// Appends an event.
    package func append(_ event: Event) {
        let satisfied = state.withLock { state in
            state.events.append(event)
            let count = state.events.count
            let satisfied = state.waiters.filter { $0.count <= count }
            if !satisfied.isEmpty { state.waiters.removeAll { $0.count <= count } }
            // The events leave the lock only if they are needed: the next append would copy all of them.
            return satisfied.map { ($0.continuation, Array(state.events.prefix($0.count))) }
        }
        for (continuation, events) in satisfied { continuation.resume(returning: events) }
    }

    /// Waits until there are `count` events.
    ///
    /// - Returns: The first `count` events.
    package func first(_ count: Int) async -> [Event] {
        await withContinuation { continuation in
            let events: [Event]? = state.withLock { state in
                if state.events.count >= count { return Array(state.events.prefix(count)) }
                state.waiters.append(Waiter(count: count, continuation: continuation))
                return nil
            }
            if let events { continuation.resume(returning: events) }
        }
    }
}

extension EventLog where Event == Void {
    /// Appends an event without details.
    package func append() {
        append(())
    }
}
