import DequeModule
package import TaskStore

/// Which queued tasks start, and when: the places, the order, and how much of the queue is held in memory.
///
/// A value without I/O. Within a session a higher priority goes first, then the older task; between sessions that
/// compete for the gateway's places, each gets its turn (round robin), so that a full session holds up no other.
///
/// A session that is held keeps its queue and gets no turn.
///
/// Memory is bounded by a window: of each session's queue only the front is known here, and the rest stays in the
/// store until ``nextLoad()`` asks for it.
package struct Admission {
    /// A task to start; its place is taken.
    package struct Start: Hashable, Sendable {
        package var id: TaskID
        package var session: String
    }

    /// A part of a session's queue to be read from the store.
    package struct Load: Hashable, Sendable {
        package var session: String
        /// Only what comes after this place.
        package var position: QueuePosition?
        package var limit: Int
    }

    /// Why nothing of a session is started, whatever places there are.
    package enum Hold: Sendable, Hashable, CaseIterable {
        /// An operator has suspended the session.
        case suspended
        /// Its tasks are being canceled: none of them is started meanwhile.
        case sweeping
        /// Its upstream cannot be reached, and it waits until it can.
        case unreachable
        /// It is not configured any more.
        case unconfigured
    }

    private var queues: [String: SessionQueue] = [:]
    private var holds: [String: Set<Hold>] = [:]
    /// The sessions that have a task to start and a place for it, each once.
    private var turns: Deque<String> = []
    private var maxRunning: Int

    /// The places taken.
    package private(set) var running = 0

    /// - Parameters:
    ///   - maxRunning: Places of the gateway in all.
    ///   - window: Queued tasks held in memory in all; shared out evenly among the sessions.
    ///   - limits: Places by session. Tasks of other sessions are never started.
    package init(maxRunning: Int, window: Int, limits: [String: Int]) {
        self.maxRunning = maxRunning
        let share = Self.share(of: window, among: limits.count)
        for (session, limit) in limits {
            queues[session] = SessionQueue(limit: limit, window: share)
        }
    }

    private static func share(of window: Int, among sessions: Int) -> Int {
        max(16, window / max(1, sessions))
    }

    /// The places that a session's tasks have taken.
    package func running(session: String) -> Int {
        queues[session]?.running ?? 0
    }

    // MARK: Configuration

    /// Takes other limits, and the sessions that there are from now on.
    ///
    /// What runs goes on, also beyond a lower limit. What is queued of a session that is not configured any more stays
    /// queued, until the session is there again. Parameters as for the initializer.
    package mutating func configure(maxRunning: Int, window: Int, limits: [String: Int]) {
        self.maxRunning = maxRunning
        let share = Self.share(of: window, among: limits.count)
        for session in queues.keys {
            queues[session]?.configure(limit: limits[session] ?? 0, window: share)
            _ = set(.unconfigured, to: limits[session] == nil, session: session)
            takeTurn(session)
        }
        for (session, limit) in limits where queues[session] == nil {
            queues[session] = SessionQueue(limit: limit, window: share)
            noteStored(session: session)
        }
    }

    // MARK: Holds

    /// Holds a session back, or lifts one of the reasons to.
    ///
    /// What runs goes on. When the last reason is lifted, ``start()`` goes on where it was.
    ///
    /// - Returns: Whether that was news.
    package mutating func set(_ hold: Hold, to isOn: Bool, session: String) -> Bool {
        guard queues[session] != nil, holds[session, default: []].contains(hold) != isOn else { return false }
        if isOn {
            holds[session, default: []].insert(hold)
        } else {
            holds[session]?.remove(hold)
        }
        let isHeld = isHeld(session: session)
        queues[session]?.setHeld(isHeld)
        takeTurn(session)
        return true
    }

    /// Whether nothing of the session is started.
    package func isHeld(session: String) -> Bool {
        holds[session]?.isEmpty == false
    }

    /// What a queued task of the session waits for; `nil` when it is about to start.
    package func hold(session: String) -> TaskHold? {
        guard let queue = queues[session] else { return .sessionNotConfigured }
        let holds = holds[session] ?? []
        if holds.contains(.unconfigured) { return .sessionNotConfigured }
        if holds.contains(.suspended) || holds.contains(.sweeping) { return .sessionSuspended }
        if holds.contains(.unreachable) { return .unreachable }
        return queue.isFull || running >= maxRunning ? .concurrency : nil
    }

    // MARK: Places

    /// Takes a place for a task that is about to be created, if it would be the next to start anyway.
    package mutating func reserve(session: String) -> Bool {
        guard running < maxRunning, queues[session]?.reserve() == true else { return false }
        running += 1
        return true
    }

    /// Gives a place back.
    package mutating func release(session: String) {
        guard queues[session]?.release() == true else { return }
        running -= 1
        takeTurn(session)
    }

    /// Takes the tasks that can start now, and their places.
    package mutating func start() -> [Start] {
        var starts: [Start] = []
        while running < maxRunning, let session = turns.popFirst() {
            guard let position = queues[session]?.start() else { continue }
            running += 1
            starts.append(Start(id: position.id, session: session))
            takeTurn(session)
        }
        return starts
    }

    private mutating func takeTurn(_ session: String) {
        if queues[session]?.wantsTurn() == true {
            turns.append(session)
        }
    }

    // MARK: Queue

    /// A task is queued in the store.
    package mutating func enqueue(_ position: QueuePosition, session: String) {
        queues[session]?.insert(position)
        takeTurn(session)
    }

    /// A task is queued no more, without having been started: it takes no turn.
    ///
    /// One whose turn has come already is refused by its life cycle.
    package mutating func withdraw(_ id: TaskID, session: String) {
        queues[session]?.withdraw(id)
    }

    /// The store may hold queued tasks of the session that are not known here.
    package mutating func noteStored(session: String) {
        queues[session]?.noteStored()
    }

    /// A part of a queue that should be read now, if any; each is asked for once until ``didLoad(_:_:)``.
    package mutating func nextLoad() -> Load? {
        for session in queues.keys {
            if let request = queues[session]?.startLoad() {
                return Load(session: session, position: request.position, limit: request.limit)
            }
        }
        return nil
    }

    /// The answer to a load: what the store had, in order; `nil` when it could not be read, to be asked again.
    package mutating func didLoad(_ load: Load, _ positions: [QueuePosition]?) {
        queues[load.session]?.finishLoad(positions, limit: load.limit)
        takeTurn(load.session)
    }
}
