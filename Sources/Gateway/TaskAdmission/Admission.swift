import DequeModule
import ErrandSessionCore
package import ErrandTaskStore

/// The admission of queued tasks: concurrency, order, rates, and the part of the queue kept in memory.
///
/// A value without I/O and without a clock: times are parameters. Within a session the order is that of
/// ``ErrandTaskStore/QueuePosition``; sessions take turns (round robin) for the gateway's places. The last places are
/// reserved for sessions that have none, so that a session that is full, must wait, or has endless tasks blocks no
/// other.
///
/// A paused session keeps its queue and gets no turn. A session that must wait for some time (its rate, a pause that
/// its upstream requested, an open circuit) is skipped until then: ``start(at:)`` returns the time to call it again.
///
/// Memory is bounded by a window: only the front of each session's queue is loaded, and the rest stays in the store
/// until ``nextLoad()`` requests it.
package struct Admission {
    /// A task to start, which has taken its place.
    package struct Start: Hashable, Sendable {
        package var id: TaskID
        package var session: String
    }

    /// The tasks that can start.
    package struct Starts: Hashable, Sendable {
        /// The tasks, in the order to start them.
        package var tasks: [Start]
        /// The time at which more tasks can start; `nil` if that depends on other events.
        package var wakeAt: ContinuousClock.Instant?
    }

    /// A part of a session's queue to be read from the store.
    package struct Load: Hashable, Sendable {
        package var session: String
        /// The position after which to read.
        package var position: QueuePosition?
        package var limit: Int
    }

    /// The reason to start no task of a session, even if there are free places.
    package enum PauseReason: Sendable, Hashable, CaseIterable {
        /// An operator suspended the session.
        case suspended
        /// The session's tasks are being canceled.
        case sweeping
        /// The disk has too little space for responses.
        case diskFull
        /// The session's upstream is unreachable, and its tasks wait until it is reachable again.
        case unreachable
        /// The session was removed from the configuration.
        case unconfigured
    }

    var queues: [String: SessionQueue] = [:]
    var gates: [String: SessionGate] = [:]
    var destinations: [DestinationKey: Destination] = [:]
    /// The destinations of the tasks that have a place at one.
    var destined: [TaskID: DestinationKey] = [:]
    private var pauseReasons: [String: Set<PauseReason>] = [:]
    /// The sessions that have a task to start and a free place, each once.
    private var turns: Deque<String> = []
    /// The sessions that must wait, with the time at which they can start tasks.
    private var sleepers: [String: ContinuousClock.Instant] = [:]
    private var maxRunning: Int
    /// The number of sessions whose tasks have places.
    private var busySessions = 0

    /// The number of places taken.
    package private(set) var running = 0

    /// Creates an admission with all places free.
    ///
    /// - Parameters:
    ///   - maxRunning: The number of places of the gateway.
    ///   - window: The maximum number of queued tasks in memory, divided evenly among the sessions.
    ///   - rules: The rules of each session. Tasks of other sessions never start.
    ///   - now: The time at which the rates begin.
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

    /// Returns the number of places taken by a session's tasks.
    package func running(session: String) -> Int {
        queues[session]?.running ?? 0
    }

    // MARK: Configuration

    /// Replaces the rules and the set of sessions.
    ///
    /// Running tasks continue, even above a lower limit. Unchanged rates, circuits and budgets keep their state. Queued
    /// tasks of a removed session stay queued until the session is configured again. For parameters see the
    /// initializer.
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
        for key in destinations.keys {
            guard let rules = rules[key.session] else { continue }
            destinations[key]?.budget.configure(rules.retryBudget, at: now)
        }
        for (session, rules) in rules where queues[session] == nil {
            queues[session] = SessionQueue(limit: rules.limits.concurrent, window: share)
            gates[session] = SessionGate(rules, at: now)
            noteStored(session: session)
        }
    }

    // MARK: Pauses

    /// Adds or removes a reason to pause a session.
    ///
    /// Running tasks continue. After the last reason is removed, ``start(at:)`` continues with the queue.
    ///
    /// - Returns: True if this changed anything.
    package mutating func set(_ reason: PauseReason, to isOn: Bool, session: String) -> Bool {
        guard queues[session] != nil, pauseReasons[session, default: []].contains(reason) != isOn else { return false }
        if isOn {
            pauseReasons[session, default: []].insert(reason)
        } else {
            pauseReasons[session]?.remove(reason)
        }
        let isPaused = isPaused(session: session)
        queues[session]?.setPaused(isPaused)
        takeTurn(session)
        return true
    }

    /// Returns true if the session is paused for any reason.
    package func isPaused(session: String) -> Bool {
        pauseReasons[session]?.isEmpty == false
    }

    /// Returns the reason for which a queued task of the session waits; `nil` when it is about to start.
    package func waitReason(session: String, at now: ContinuousClock.Instant) -> WaitReason? {
        guard let queue = queues[session], let gate = gates[session] else { return .sessionNotConfigured }
        let pauseReasons = pauseReasons[session] ?? []
        if pauseReasons.contains(.unconfigured) { return .sessionNotConfigured }
        if pauseReasons.contains(.suspended) || pauseReasons.contains(.sweeping) { return .sessionSuspended }
        if pauseReasons.contains(.diskFull) { return .diskFull }
        if pauseReasons.contains(.unreachable) { return .unreachable }
        let isFull = queue.isFull || !hasPlace(for: session)
        return switch gate.opening(at: now) {
        case .open: isFull ? .concurrency : nil
        case .later(_, .rate): isFull ? .concurrency : .rate
        case .later(_, let reason), .shut(let reason): reason
        }
    }

    // MARK: Places

    /// Takes a place for a task that is about to be created, if it would be the next to start, and could start now.
    package mutating func reserve(_ task: TaskID, session: String, at now: ContinuousClock.Instant) -> Bool {
        guard hasPlace(for: session), queues[session]?.isFree == true, gates[session]?.begin(task, at: now) == true
        else { return false }
        let before = running(session: session)
        queues[session]?.takePlace()
        running += 1
        noteBusy(session, before: before)
        return true
    }

    /// Releases the place of a task.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - session: Its session.
    ///   - hasBegun: True if the attempt has started; otherwise its rate token is returned.
    ///   - now: The current time.
    package mutating func release(
        _ task: TaskID, session: String, hasBegun: Bool = true, at now: ContinuousClock.Instant
    ) {
        let before = running(session: session)
        guard queues[session]?.release() == true else { return }
        running -= 1
        noteBusy(session, before: before)
        endDestined(task, at: now)
        if hasBegun {
            // No-op if the outcome was already recorded; otherwise counts as neutral.
            gates[session]?.note(.neutral, of: task, at: now)
        } else {
            gates[session]?.giveBack(task, at: now)
        }
        takeTurn(session)
    }

    /// Takes the tasks that can start now, with their places.
    package mutating func start(at now: ContinuousClock.Instant) -> Starts {
        for (session, wakeAt) in sleepers where wakeAt <= now {
            sleepers[session] = nil
            takeTurn(session)
        }
        var starts: [Start] = []
        // The sessions that may not use the last places: they keep their turns.
        var skipped: [String] = []
        while running < maxRunning, let session = turns.popFirst() {
            guard hasPlace(for: session) else {
                skipped.append(session)
                continue
            }
            guard let task = queues[session]?.useTurn(), let opening = gates[session]?.opening(at: now) else {
                continue
            }
            sleepers[session] = opening.time
            guard gates[session]?.begin(task, at: now) == true else { continue }
            let before = running(session: session)
            queues[session]?.start()
            running += 1
            noteBusy(session, before: before)
            starts.append(Start(id: task, session: session))
            takeTurn(session)
        }
        turns.prepend(contentsOf: skipped)
        // Without a free place no timer is needed: the release of a place calls this again.
        return Starts(tasks: starts, wakeAt: running < maxRunning ? sleepers.values.min() : nil)
    }

    /// Returns true if the gateway has a place for a task of the session.
    ///
    /// The last places are reserved for sessions without any: one for each of them, at most a sixteenth of all. So each
    /// session can run a task however long the tasks of the others take.
    private func hasPlace(for session: String) -> Bool {
        guard running < maxRunning else { return false }
        let reserve = min(queues.count - busySessions, maxRunning / 16)
        return running < maxRunning - reserve || queues[session]?.running == 0
    }

    /// Updates the number of sessions with places.
    private mutating func noteBusy(_ session: String, before: Int) {
        let after = running(session: session)
        busySessions += (after > 0 ? 1 : 0) - (before > 0 ? 1 : 0)
    }

    mutating func takeTurn(_ session: String) {
        if queues[session]?.wantsTurn() == true {
            turns.append(session)
        }
    }

    // MARK: Queue

    /// Adds a task that is queued in the store, or moves it to a new position.
    package mutating func enqueue(_ position: QueuePosition, session: String) {
        queues[session]?.insert(position)
        takeTurn(session)
    }

    /// Removes a task from the queue that was not started.
    ///
    /// If it was already returned by ``start(at:)``, its life cycle refuses to start.
    package mutating func withdraw(_ id: TaskID, session: String) {
        queues[session]?.withdraw(id)
    }

    /// Notes that the store may have queued tasks of the session that are not loaded.
    package mutating func noteStored(session: String) {
        queues[session]?.noteStored()
    }

    /// Returns a part of a queue that should be read now, if any, once each until ``didLoad(_:_:)``.
    package mutating func nextLoad() -> Load? {
        for session in queues.keys {
            if let request = queues[session]?.startLoad() {
                return Load(session: session, position: request.position, limit: request.limit)
            }
        }
        return nil
    }

    /// Adds the result of a load: the positions in order, or `nil` when reading failed, to request it again.
    package mutating func didLoad(_ load: Load, _ positions: [QueuePosition]?) {
        queues[load.session]?.finishLoad(positions, limit: load.limit)
        takeTurn(load.session)
    }
}
