import ErrandLocking
package import ErrandTaskStore

/// A hub that distributes the events of the store to any number of watchers.
///
/// The newest events are stored once for all. A watcher has a cursor, the last event it has seen; it reads on from
/// there, and waits when there are no more. There is no queue per watcher, however slowly it reads. Only events that
/// match its interest wake a watcher.
///
/// Any thread.
package final class EventHub: Sendable {
    /// The reason for the end of a wait.
    package enum Wake: Sendable {
        /// New events. None of those up to `after` matched the watcher's interest.
        case events(after: Int64)
        /// Progress of running tasks. None of the events up to `after` matched the watcher's interest.
        case progress([ProgressNote], after: Int64)
        /// New session events. None of the task events up to `after` matched the watcher's interest.
        case news(after: Int64)
        /// Timeout. None of the events up to `after` matched the watcher's interest.
        case silence(after: Int64)
        /// The gateway is closing, or the watcher's task was canceled: no more events follow.
        case over
    }

    fileprivate struct State {
        var ring: EventRing
        var waiting = WaitingList<Continuation<Wake>>()
        /// The last event whose watchers were woken: no waiting watcher has missed an event up to it.
        var delivered: Int64 = 0
        var isDelivering = false
        var board = BulletinBoard()
        var isClosed = false
        var lastNumber = 0
    }

    private let state: Mutex<State>
    private let capacity: Int
    private let timer: SharedTimer

    /// Creates a hub.
    ///
    /// - Parameters:
    ///   - capacity: The number of kept events, by which a watcher may lag behind.
    ///   - timer: Ends waits on timeout.
    package init(capacity: Int, timer: SharedTimer) {
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

    /// Adds events, in order.
    ///
    /// Called on the store's thread: a task wakes the watchers.
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

    /// Wakes the watchers of new events, until there are no more.
    ///
    /// Matches outside of the lock, so that the store's thread does not wait for thousands of filters.
    private func deliver() {
        while let (list, reading, end) = state.withLock({ $0.nextDelivery() }) {
            let concerned: Set<Int> =
                switch reading {
                case .events(let events): list.concerned(by: events)
                // More events than the ring keeps: each watcher checks for itself.
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

    /// Returns at most `limit` events after an event.
    package func events(after id: Int64, limit: Int) -> EventRing.Reading {
        state.withLock { $0.ring.events(after: id, limit: limit) }
    }

    // MARK: Waiting

    /// Waits for events of interest.
    ///
    /// - Parameters:
    ///   - interest: The events to wait for.
    ///   - cursor: The last event that the watcher has seen. Returns at once if there are newer ones.
    ///   - bulletin: The last session event that the watcher has seen; like `cursor`.
    ///   - patience: The timeout, accurate to a second.
    package func wait(
        for interest: EventInterest, after cursor: Int64, bulletin: Int64 = .max, patience: Duration
    ) async -> Wake {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        var timeout: SharedTimer.Token?
        defer { if let timeout { timer.cancel(timeout) } }
        return await withTaskCancellationHandler {
            await withContinuation { continuation in
                let entry = WaitingList.Entry(interest: interest, cursor: cursor, handle: continuation)
                let wake = state.withLock { state -> Wake? in
                    if Task.isCancelled { return .over }
                    if state.ring.newest > cursor { return .events(after: cursor) }
                    if !state.board.news(after: bulletin, for: interest).isEmpty { return .news(after: cursor) }
                    if state.isClosed { return .over }
                    state.waiting.insert(entry, as: number)
                    return nil
                }
                if let wake { return continuation.resume(returning: wake) }
                timeout = timer.set(after: patience, grain: .seconds(1)) { [weak self] in self?.remind(number) }
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

    /// Ends the waits of watchers that have seen all events, and of others once they have.
    package func close() {
        let (waiting, delivered) = state.withLock { state in
            state.isClosed = true
            return (state.waiting.removeAll(), state.delivered)
        }
        // A watcher with unseen events reads them, and then waits again.
        for entry in waiting { entry.handle.resume(returning: .events(after: max(entry.cursor, delivered))) }
    }

    /// The number of waiting watchers.
    package var waiterCount: Int { state.withLock { $0.waiting.entries.count } }

    // MARK: News of sessions

    /// The number of the newest session event.
    package var newestBulletin: Int64 { state.withLock { $0.board.newest } }

    /// Publishes a session event to the watchers of its tasks.
    ///
    /// - Parameter bytes: The event as a piece of a stream.
    package func post(_ bytes: [UInt8], of session: String) {
        let woken = state.withLock { state in
            state.board.post(bytes, of: session)
            let concerned = state.waiting.entries.filter { _, entry in
                guard case .matching(let filter) = entry.interest else { return false }
                return filter.wantsNews(of: session)
            }
            return concerned.keys.compactMap { number in
                state.waiting.remove(number).map { ($0.handle, max($0.cursor, state.delivered)) }
            }
        }
        for (continuation, after) in woken { continuation.resume(returning: .news(after: after)) }
    }

    /// Returns the session events after a number that match an interest, and the number of the newest.
    package func news(after number: Int64, for interest: EventInterest) -> (pieces: [[UInt8]], newest: Int64) {
        state.withLock { ($0.board.news(after: number, for: interest), $0.board.newest) }
    }

    // MARK: Progress

    /// True if any watcher is waiting.
    package var isWatched: Bool { waiterCount > 0 }

    /// Returns those of the tasks that match the interest of a waiting watcher.
    package func watched(of records: [TaskRecord]) -> [TaskRecord] {
        let list = state.withLock { $0.waiting }
        return records.filter(list.concerns)
    }

    /// Sends progress of tasks to the waiting watchers; it is not stored.
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
    /// Takes the events to deliver, the last of them, and the waiting watchers; `nil` if there are no new events.
    fileprivate mutating func nextDelivery() -> (
        WaitingList<Continuation<EventHub.Wake>>, EventRing.Reading, Int64
    )? {
        guard delivered < ring.newest, !waiting.isEmpty else {
            delivered = ring.newest
            isDelivering = false
            return nil
        }
        return (waiting, ring.events(after: delivered), ring.newest)
    }
}
