import DequeModule
import SessionCore
package import TaskStore

/// Which queued tasks start, and when: the places, the order, the rates, and how much of the queue is held in memory.
///
/// A value without I/O and without a clock: every moment is a parameter. Within a session the order is that of
/// ``TaskStore/QueuePosition``; between sessions that compete for the gateway's places, each gets its turn (round
/// robin), so that a session that is full, or must wait, holds up no other.
///
/// A session that is held keeps its queue and gets no turn. One that must wait for a moment (its rate, what its upstream
/// asked for, an open circuit) is passed over until then: ``start(at:)`` says when it is to be asked again.
///
/// Memory is bounded by a window: of each session's queue only the front is known here, and the rest stays in the
/// store until ``nextLoad()`` asks for it.
package struct Admission {
    /// A task to start; its place is taken.
    package struct Start: Hashable, Sendable {
        package var id: TaskID
        package var session: String
    }

    /// The tasks that can start.
    package struct Starts: Hashable, Sendable {
        /// In this order.
        package var tasks: [Start]
        /// When others can, if nothing else happens before; `nil` when time alone changes nothing.
        package var wakeAt: ContinuousClock.Instant?
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

    var queues: [String: SessionQueue] = [:]
    var gates: [String: SessionGate] = [:]
    private var holds: [String: Set<Hold>] = [:]
    /// The sessions that have a task to start and a place for it, each once.
    private var turns: Deque<String> = []
    /// The sessions that had their turn before its time, and when that is.
    private var sleepers: [String: ContinuousClock.Instant] = [:]
    private var maxRunning: Int

    /// The places taken.
    package private(set) var running = 0

    /// Creates an admission with every place free.
    ///
    /// - Parameters:
    ///   - maxRunning: Places of the gateway in all.
    ///   - window: Queued tasks held in memory in all; shared out evenly among the sessions.
    ///   - rules: What holds for each session. Tasks of other sessions are never started.
    ///   - now: When the rates begin.
    package init(maxRunning: Int, window: Int, rules: [String: SessionRules], at now: ContinuousClock.Instant) {
        self.maxRunning = maxRunning
        let share = Self.share(of: window, among: rules.count)
        for (session, rules) in rules {
            queues[session] = SessionQueue(limit: rules.limits.concurrent, window: share)
            gates[session] = SessionGate(rules, at: now)
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

    /// Takes other rules, and the sessions that there are from now on.
    ///
    /// What runs goes on, also beyond a lower limit; a rate, a circuit or a budget that has not changed goes on as it is.
    /// What is queued of a session that is not configured any more stays queued, until the session is there again.
    /// Parameters as for the initializer.
    package mutating func configure(
        maxRunning: Int, window: Int, rules: [String: SessionRules], at now: ContinuousClock.Instant
    ) {
        self.maxRunning = maxRunning
        let share = Self.share(of: window, among: rules.count)
        for session in queues.keys {
            let rules = rules[session]
            queues[session]?.configure(limit: rules?.limits.concurrent ?? 0, window: share)
            if let rules { gates[session]?.configure(rules, at: now) }
            _ = set(.unconfigured, to: rules == nil, session: session)
            takeTurn(session)
        }
        for (session, rules) in rules where queues[session] == nil {
            queues[session] = SessionQueue(limit: rules.limits.concurrent, window: share)
            gates[session] = SessionGate(rules, at: now)
            noteStored(session: session)
        }
    }

    // MARK: Holds

    /// Holds a session back, or lifts one of the reasons to.
    ///
    /// What runs goes on. When the last reason is lifted, ``start(at:)`` goes on where it was.
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

    /// Whether nothing of the session is started, until the last of the reasons that were set is lifted.
    package func isHeld(session: String) -> Bool {
        holds[session]?.isEmpty == false
    }

    /// What a queued task of the session waits for; `nil` when it is about to start.
    package func hold(session: String, at now: ContinuousClock.Instant) -> TaskHold? {
        guard let queue = queues[session], let gate = gates[session] else { return .sessionNotConfigured }
        let holds = holds[session] ?? []
        if holds.contains(.unconfigured) { return .sessionNotConfigured }
        if holds.contains(.suspended) || holds.contains(.sweeping) { return .sessionSuspended }
        if holds.contains(.unreachable) { return .unreachable }
        let isFull = queue.isFull || running >= maxRunning
        return switch gate.opening(at: now) {
        case .open: isFull ? .concurrency : nil
        case .later(_, .rate): isFull ? .concurrency : .rate
        case .later(_, let hold), .shut(let hold): hold
        }
    }

    // MARK: Places

    /// Takes a place for a task that is about to be created, if it would be the next to start anyway, and now.
    package mutating func reserve(_ task: TaskID, session: String, at now: ContinuousClock.Instant) -> Bool {
        guard running < maxRunning, queues[session]?.isFree == true, gates[session]?.begin(task, at: now) == true
        else { return false }
        queues[session]?.takePlace()
        running += 1
        return true
    }

    /// Gives a task's place back.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - session: Its session.
    ///   - hasBegun: Its attempt has begun. One that has not gives back what it has taken of the rate.
    ///   - now: When.
    package mutating func release(
        _ task: TaskID, session: String, hasBegun: Bool = true, at now: ContinuousClock.Instant
    ) {
        guard queues[session]?.release() == true else { return }
        running -= 1
        if hasBegun {
            // Whose outcome was told before, tells nothing more; from one that told none there is nothing to learn.
            gates[session]?.note(.neutral, of: task, at: now)
        } else {
            gates[session]?.giveBack(task, at: now)
        }
        takeTurn(session)
    }

    /// Takes the tasks that can start now, and their places.
    package mutating func start(at now: ContinuousClock.Instant) -> Starts {
        for (session, wakeAt) in sleepers where wakeAt <= now {
            sleepers[session] = nil
            takeTurn(session)
        }
        var starts: [Start] = []
        while running < maxRunning, let session = turns.popFirst() {
            guard let task = queues[session]?.useTurn(), let opening = gates[session]?.opening(at: now) else {
                continue
            }
            sleepers[session] = opening.time
            guard gates[session]?.begin(task, at: now) == true else { continue }
            queues[session]?.start()
            running += 1
            starts.append(Start(id: task, session: session))
            takeTurn(session)
        }
        // Without a place there is nothing to wake up for: the one that is given back asks again.
        return Starts(tasks: starts, wakeAt: running < maxRunning ? sleepers.values.min() : nil)
    }

    mutating func takeTurn(_ session: String) {
        if queues[session]?.wantsTurn() == true {
            turns.append(session)
        }
    }

    // MARK: Queue

    /// A task is queued in the store, at this place: one that is queued already moves there.
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
