import Locking
package import TaskStore

/// Tells watchers of what happens in the store, however many there are.
///
/// It keeps the newest events once, for all. A watcher has a cursor, the last event that he knows of, reads on from it,
/// and waits when there is nothing more: nothing is queued for him, whatever happens and however slowly he reads. He is
/// woken by what concerns him alone.
///
/// Any thread.
package final class EventHub: Sendable {
    /// Why a wait has ended.
    package enum Wake: Sendable {
        /// There are events. None of those up to `after` concerned the watcher.
        case events(after: Int64)
        /// A running task got further. None of the events up to `after` concerned the watcher.
        case progress([ProgressNote], after: Int64)
        /// Nothing has happened for as long as he wanted to wait. None of the events up to `after` concerned him.
        case silence(after: Int64)
        /// The gateway closes, or the watcher's task was cancelled: there will be nothing more.
        case over
    }

    fileprivate struct State {
        var ring: EventRing
        var waiting = WaitingList<CheckedContinuation<Wake, Never>>()
        /// The events up to this one have woken whom they concern: of those, nobody who waits has missed any.
        var delivered: Int64 = 0
        var isDelivering = false
        var isClosed = false
        var lastNumber = 0
    }

    private let state: Mutex<State>
    private let capacity: Int
    private let timer: SharedTimer

    /// Creates a hub.
    ///
    /// - Parameters:
    ///   - capacity: How many events a watcher may be behind.
    ///   - timer: Ends waits in which nothing happens.
    package init(capacity: Int = 4096, timer: SharedTimer) {
        state = Mutex(State(ring: EventRing(capacity: capacity)))
        self.capacity = capacity
        self.timer = timer
    }

    // MARK: Events

    /// Begins after the newest event of the store, before any is published.
    package func begin(after newest: Int64) {
        state.withLock { state in
            state.ring = EventRing(capacity: capacity, after: newest)
            state.delivered = newest
        }
    }

    /// Takes in what has happened, in its order.
    ///
    /// On the store's thread: watchers are woken by a task.
    package func publish(_ events: [StoredEvent]) {
        let begins = state.withLock { state in
            state.ring.append(events)
            guard !state.isDelivering else { return false }
            guard !state.waiting.isEmpty else {
                state.delivered = state.ring.newest
                return false
            }
            state.isDelivering = true
            return true
        }
        if begins {
            Task { deliver() }
        }
    }

    /// Wakes whom the events concern that came since the last time, until there are none.
    ///
    /// Looks for them outside of the lock, so that the store's thread does not wait while thousands of filters are
    /// asked.
    private func deliver() {
        while let (list, reading, end) = state.withLock({ $0.nextDelivery() }) {
            let concerned: Set<Int> =
                switch reading {
                case .events(let events): list.concerned(by: events)
                // More than the ring holds: everybody looks for himself.
                case .gone: Set(list.entries.keys)
                }
            let woken = state.withLock { state in
                let before = state.delivered
                state.delivered = end
                return concerned.compactMap { number in
                    state.waiting.remove(number).map { ($0.handle, max($0.cursor, before)) }
                }
            }
            for (continuation, after) in woken { continuation.resume(returning: .events(after: after)) }
        }
    }

    /// The newest event.
    package var newest: Int64 { state.withLock { $0.ring.newest } }

    /// Reads what follows an event, at most `limit`.
    package func events(after id: Int64, limit: Int) -> EventRing.Reading {
        state.withLock { $0.ring.events(after: id, limit: limit) }
    }

    // MARK: Waiting

    /// Waits until there is something to tell.
    ///
    /// - Parameters:
    ///   - interest: What of.
    ///   - cursor: The last event that the watcher knows of. When there are newer ones, he is not kept waiting.
    ///   - patience: The longest wait, to the second.
    package func wait(for interest: EventInterest, after cursor: Int64, patience: Duration) async -> Wake {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        var alarm: SharedTimer.Alarm?
        defer { if let alarm { timer.cancel(alarm) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let entry = WaitingList.Entry(interest: interest, cursor: cursor, handle: continuation)
                let wake = state.withLock { state -> Wake? in
                    if Task.isCancelled { return .over }
                    if state.ring.newest > cursor { return .events(after: cursor) }
                    if state.isClosed { return .over }
                    state.waiting.insert(entry, as: number)
                    return nil
                }
                if let wake { return continuation.resume(returning: wake) }
                alarm = timer.set(after: patience, grain: .seconds(1)) { [weak self] in self?.remind(number) }
            }
        } onCancel: {
            state.withLock { $0.waiting.remove(number) }?.handle.resume(returning: .over)
        }
    }

    private func remind(_ number: Int) {
        let woken = state.withLock { state in
            state.waiting.remove(number).map { ($0.handle, max($0.cursor, state.delivered)) }
        }
        if let (continuation, after) = woken { continuation.resume(returning: .silence(after: after)) }
    }

    /// Lets everybody go who knows of all events, and whoever comes to know of them.
    package func close() {
        let (waiting, delivered) = state.withLock { state in
            state.isClosed = true
            return (state.waiting.removeAll(), state.delivered)
        }
        // Whoever has not been told all yet reads on, and comes back.
        for entry in waiting { entry.handle.resume(returning: .events(after: max(entry.cursor, delivered))) }
    }

    /// How many wait.
    package var waiterCount: Int { state.withLock { $0.waiting.entries.count } }

    // MARK: Progress

    /// Whether somebody waits.
    package var isWatched: Bool { waiterCount > 0 }

    /// Those of the tasks that somebody who waits would be told of.
    package func watched(of records: [TaskRecord]) -> [TaskRecord] {
        let list = state.withLock { $0.waiting }
        return records.filter(list.concerns)
    }

    /// Tells those who wait how far tasks have come; nobody else ever learns of it.
    package func tell(_ notes: [ProgressNote]) {
        let concerned = state.withLock { $0.waiting }.concerned(by: notes)
        let woken = state.withLock { state in
            concerned.compactMap { number, notes in
                state.waiting.remove(number).map { ($0.handle, notes, max($0.cursor, state.delivered)) }
            }
        }
        for (continuation, notes, after) in woken { continuation.resume(returning: .progress(notes, after: after)) }
    }
}

extension EventHub.State {
    /// What is to be delivered, up to which event, and who waits; `nil` when there is nothing.
    fileprivate mutating func nextDelivery() -> (
        WaitingList<CheckedContinuation<EventHub.Wake, Never>>, EventRing.Reading, Int64
    )? {
        guard delivered < ring.newest, !waiting.isEmpty else {
            delivered = ring.newest
            isDelivering = false
            return nil
        }
        return (waiting, ring.events(after: delivered), ring.newest)
    }
}
