import ErrandLocking

import struct Synchronization.Atomic

/// A broadcaster of events to all current listeners.
///
/// Any thread. Listeners receive the events from their subscription on, in order. A listener that falls behind by more
/// than ``bufferedEvents`` loses the oldest events, so that no queue grows without limit.
final class EventBroadcaster<Event: Sendable>: Sendable {
    /// The maximum number of events buffered for one listener.
    static var bufferedEvents: Int { 1024 }

    private let state = Mutex(State())
    /// The number of listeners, read before each event so that events without listeners cost nothing.
    private let listeners = Atomic<Int>(0)

    private struct State {
        var next = 0
        var isFinished = false
        var listeners: [Int: AsyncStream<Event>.Continuation] = [:]
    }

    /// Finishes the streams, as listeners would otherwise wait forever.
    deinit {
        finish()
    }

    /// True if there is a listener.
    var isHeard: Bool { listeners.load(ordering: .relaxed) > 0 }

    /// Returns the events from now on, until the last.
    func events() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(Self.bufferedEvents))
        let number = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.next += 1
            state.listeners[state.next] = continuation
            listeners.store(state.listeners.count, ordering: .relaxed)
            return state.next
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    /// Sends an event to the listeners; it is not computed without any.
    func emit(_ event: @autoclosure () -> Event) {
        guard isHeard else { return }
        let event = event()
        // Under the lock, so that all listeners see the same order; `yield` only buffers the event.
        state.withLock { state in
            for listener in state.listeners.values { listener.yield(event) }
        }
    }

    /// Ends the streams of all listeners, present and future.
    func finish() {
        let listening = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return state.listeners.values.map { $0 }
        }
        listeners.store(0, ordering: .relaxed)
        for listener in listening { listener.finish() }
    }

    private func remove(_ number: Int) {
        state.withLock { state in
            state.listeners[number] = nil
            listeners.store(state.listeners.count, ordering: .relaxed)
        }
    }
}

/// The event listeners of the task for which an attempt is made.
struct AttemptObserver: Sendable {
    let id: SessionTaskID
    let session: EventBroadcaster<SessionEvent>
    /// The task's own listeners, if it has any.
    let task: EventBroadcaster<SessionTaskEvent>?
    /// The calls of the request's progress handler; `nil` without one.
    let progress: ProgressTeller?

    /// True if there is a listener of events.
    var isHeard: Bool { task?.isHeard ?? false || session.isHeard }

    func emit(_ event: @autoclosure () -> SessionTaskEvent) {
        guard isHeard else { return }
        let event = event()
        task?.emit(event)
        session.emit(.task(id: id, event.withoutContent))
    }
}
