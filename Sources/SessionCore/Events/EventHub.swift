import Locking

import struct Synchronization.Atomic

/// Hands events to everybody who listens at the moment.
///
/// Any thread. Listeners get the events from when they began, in order. Who falls behind by more than
/// ``bufferedEvents`` loses the oldest: nothing is queued without end.
final class EventHub<Event: Sendable>: Sendable {
    /// How many events wait for one listener.
    static var bufferedEvents: Int { 1024 }

    private let state = Mutex(State())
    /// Read before each event, so that nobody's absence costs nothing.
    private let listeners = Atomic<Int>(0)

    private struct State {
        var next = 0
        var isFinished = false
        var listeners: [Int: AsyncStream<Event>.Continuation] = [:]
    }

    /// Nobody can say anything any more: who listens would wait for ever.
    deinit {
        finish()
    }

    /// Whether anybody listens.
    var isHeard: Bool { listeners.load(ordering: .relaxed) > 0 }

    /// The events from now on, until the last.
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

    /// Something has happened.
    func emit(_ event: @autoclosure () -> Event) {
        guard isHeard else { return }
        let event = event()
        // Under the lock, so that all listeners see the same order; a continuation only takes the event in.
        state.withLock { state in
            for listener in state.listeners.values { listener.yield(event) }
        }
    }

    /// Nothing will happen any more.
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
