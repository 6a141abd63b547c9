import DequeModule
import ErrandSessionCore
package import ErrandTaskStore

/// The admission of queued tasks: concurrency, order, rates, and the part of the queue kept in memory.
///
/// A value without I/O and without a clock: times are parameters. Within a session the order is that of
/// ``ErrandTaskStore/QueuePosition``; sessions take turns (round robin) for the gateway's slots. The last slots are
/// reserved for sessions that have none, so that a session that is full, must wait, or has endless tasks blocks no
/// other.
///
/// A paused session keeps its queue and gets no turn. A session that must wait for some time (its rate, a pause that
/// its upstream requested, an open circuit) is skipped until then: ``start(at:)`` returns the time to call it again.
///
/// Memory is bounded by a window: only the front of each session's queue is loaded, and the rest stays in the store
/// until ``nextLoad()`` requests it.
package struct Admission {
    /// A task to start, which has taken its slot.
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

    /// The reason to start no task of a session, even if there are free slots.
    package enum PauseReason: Sendable, Hashable, CaseIterable {
        /// An operator suspended the session.
        case suspended
        /// The session's tasks are being canceled.
        case cancelingTasks
        /// The disk has too little space for responses.
        case diskFull
        /// The session's upstream is unreachable, and its tasks wait until it is reachable again.
        case unreachable
        /// The session was removed from the configuration.
        case unconfigured
    }

    /// The state of a session.
    struct Entry {
        let name: String
        var queue: SessionQueue
        var gate: SessionGate
        var pauseReasons: Set<PauseReason> = []
    }

    /// The sessions that were ever configured, in the order of their indices, which never change.
    ///
    /// An array, because its elements are changed in place: a change of a dictionary's value allocates memory.
    var sessions: [Entry] = []
    /// The index of each session; each operation looks its session up once.
    private(set) var indices: [String: Int] = [:]
    var destinations: [DestinationKey: Destination] = [:]
    /// The number of destinations with running attempts.
    var busyDestinations = 0
    /// The destinations of the tasks that have a slot at one.
    var destined: [TaskID: DestinationKey] = [:]
    /// The tasks that wait for a slot at their destination, or for the end of a probe of it.
    var waitingAtDestinations: Set<TaskID> = []
    /// The retries that have taken a token of their budget, from then until their slots are released.
    var tokenHolders: Set<TaskID> = []
    /// The sessions that have a task to start and a free slot, each once.
    private var turns: Deque<Int> = []
    /// The sessions whose queues should be loaded, each once; some may need it no longer.
    private var loads: Deque<Int> = []
    /// The sessions that must wait, with the time at which they can start tasks.
    private var sleepers: [Int: ContinuousClock.Instant] = [:]
    private var maxRunning: Int
    /// The number of configured sessions whose tasks have no slots: the reserved slots are for them.
    private var idleSessions = 0

    /// The number of slots taken.
    package private(set) var running = 0

    /// Creates an admission with all slots free.
    ///
    /// - Parameters:
    ///   - maxRunning: The number of slots of the gateway.
    ///   - window: The maximum number of queued tasks in memory, divided evenly among the sessions.
    ///   - rules: The rules of each session. Tasks of other sessions never start.
    ///   - now: The time at which the rates begin.
    package init(maxRunning: Int, window: Int, rules: [String: SessionRules], at now: ContinuousClock.Instant) {
        self.maxRunning = maxRunning
        let share = Self.share(of: window, among: rules.count)
        for (session, rules) in rules { add(session, rules, window: share, at: now) }
    }

    private mutating func add(
        _ session: String, _ rules: SessionRules, window: Int, at now: ContinuousClock.Instant
    ) {
        indices[session] = sessions.count
        idleSessions += 1
        sessions.append(
            Entry(
                name: session, queue: SessionQueue(limit: rules.limits.concurrent, window: window),
                gate: SessionGate(rules, at: now)))
    }

    private static func share(of window: Int, among sessions: Int) -> Int {
        max(16, window / max(1, sessions))
    }

    /// Returns the number of slots taken by a session's tasks.
    package func running(session: String) -> Int {
        indices[session].map { sessions[$0].queue.running } ?? 0
    }

    // MARK: Configuration

    /// Replaces the rules and the set of sessions.
    ///
    /// Running tasks continue, even above a lower limit. Unchanged rates, circuits and budgets keep their state; a
    /// session with another upstream begins with a closed circuit and without a requested pause. Queued tasks of a
    /// removed session stay queued until the session is configured again. For parameters see the initializer.
    package mutating func configure(
        maxRunning: Int, window: Int, rules: [String: SessionRules], at now: ContinuousClock.Instant
    ) {
        self.maxRunning = maxRunning
        let share = Self.share(of: window, among: rules.count)
        for index in sessions.indices {
            let rules = rules[sessions[index].name]
            sessions[index].queue.configure(limit: rules?.limits.concurrent ?? 0, window: share)
            if let rules { sessions[index].gate.configure(rules, at: now) }
            _ = set(.unconfigured, to: rules == nil, of: index)
            takeTurn(index)
            requestLoad(index)
        }
        configureDestinations(rules, at: now)
        for (session, rules) in rules where indices[session] == nil {
            add(session, rules, window: share, at: now)
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
        guard let index = indices[session] else { return false }
        return set(reason, to: isOn, of: index)
    }

    private mutating func set(_ reason: PauseReason, to isOn: Bool, of index: Int) -> Bool {
        guard sessions[index].pauseReasons.contains(reason) != isOn else { return false }
        if isOn {
            sessions[index].pauseReasons.insert(reason)
        } else {
            sessions[index].pauseReasons.remove(reason)
        }
        // No slot is reserved for a session that is not configured.
        if reason == .unconfigured, sessions[index].queue.running == 0 { idleSessions += isOn ? -1 : 1 }
        let isPaused = !sessions[index].pauseReasons.isEmpty
        sessions[index].queue.setPaused(isPaused)
        takeTurn(index)
        return true
    }

    /// Returns the reason for which a queued task of the session waits; `nil` when it is about to start.
    package func waitReason(session: String, at now: ContinuousClock.Instant) -> WaitReason? {
        guard let index = indices[session] else { return .sessionNotConfigured }
        let pauseReasons = sessions[index].pauseReasons
        if pauseReasons.contains(.unconfigured) { return .sessionNotConfigured }
        if pauseReasons.contains(.suspended) || pauseReasons.contains(.cancelingTasks) { return .sessionSuspended }
        if pauseReasons.contains(.diskFull) { return .diskFull }
        if pauseReasons.contains(.unreachable) { return .unreachable }
        let isFull = sessions[index].queue.isFull || !hasSlot(for: index)
        return switch sessions[index].gate.opening(at: now) {
        case .open: isFull ? .concurrency : nil
        case .later(_, .rate): isFull ? .concurrency : .rate
        case .later(_, let reason), .shut(let reason): reason
        }
    }

    // MARK: Slots

    /// Takes a slot for a task that is about to be created, if it would be the next to start, and could start now.
    package mutating func reserve(_ task: TaskID, session: String, at now: ContinuousClock.Instant) -> Bool {
        guard let index = indices[session], hasSlot(for: index), sessions[index].queue.isFree,
            sessions[index].gate.begin(task, at: now)
        else { return false }
        let before = sessions[index].queue.running
        sessions[index].queue.takeSlot()
        running += 1
        noteBusy(index, before: before)
        return true
    }

    /// Releases the slots of a task, in its session and at its destination.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - session: Its session.
    ///   - hasBegun: True if the attempt has started; otherwise its rate token is returned, and that of a retry.
    ///   - now: The current time.
    package mutating func release(
        _ task: TaskID, session: String, hasBegun: Bool = true, at now: ContinuousClock.Instant
    ) {
        let hadToken = tokenHolders.remove(task) != nil
        guard let index = releaseSlot(of: session) else { return }
        if hadToken, !hasBegun { giveBackRetry(of: task, session: session, at: now) }
        endDestined(task, at: now)
        if hasBegun {
            // No-op if the outcome was already recorded; otherwise counts as neutral.
            sessions[index].gate.note(.neutral, of: task, at: now)
        } else {
            sessions[index].gate.giveBack(task, at: now)
        }
        takeTurn(index)
    }

    /// Releases the slot that a task has taken in its session, and that it does not use.
    ///
    /// Its slot at its destination, if it has one, is that of an earlier start: the store may report a task as queued
    /// that is being started.
    package mutating func giveBack(_ task: TaskID, session: String, at now: ContinuousClock.Instant) {
        guard let index = releaseSlot(of: session) else { return }
        sessions[index].gate.giveBack(task, at: now)
        takeTurn(index)
    }

    /// Releases a slot of a session.
    ///
    /// - Returns: The index of the session; `nil` if it has no slot.
    private mutating func releaseSlot(of session: String) -> Int? {
        guard let index = indices[session] else { return nil }
        let before = sessions[index].queue.running
        guard sessions[index].queue.release() else { return nil }
        running -= 1
        noteBusy(index, before: before)
        return index
    }

    /// Takes the tasks that can start now, with their slots.
    package mutating func start(at now: ContinuousClock.Instant) -> Starts {
        for (index, wakeAt) in sleepers where wakeAt <= now {
            sleepers[index] = nil
            takeTurn(index)
        }
        var starts: [Start] = []
        // The sessions that may not use the last slots: they keep their turns.
        var skipped: [Int] = []
        while running < maxRunning, let index = turns.popFirst() {
            guard hasSlot(for: index) else {
                skipped.append(index)
                continue
            }
            guard let task = sessions[index].queue.useTurn() else { continue }
            sleepers[index] = sessions[index].gate.opening(at: now).time
            guard sessions[index].gate.begin(task, at: now) else { continue }
            let before = sessions[index].queue.running
            sessions[index].queue.start()
            running += 1
            noteBusy(index, before: before)
            starts.append(Start(id: task, session: sessions[index].name))
            takeTurn(index)
            requestLoad(index)
        }
        if !skipped.isEmpty { turns.prepend(contentsOf: skipped) }
        // Without a free slot no timer is needed: the release of a slot calls this again.
        return Starts(tasks: starts, wakeAt: running < maxRunning ? sleepers.values.min() : nil)
    }

    /// Returns true if the gateway has a slot for a task of the session.
    ///
    /// The last slots are reserved for sessions without any: one for each of them, at most a sixteenth of all. So each
    /// session can run a task however long the tasks of the others take.
    private func hasSlot(for index: Int) -> Bool {
        guard running < maxRunning else { return false }
        let reserve = min(idleSessions, maxRunning / 16)
        return running < maxRunning - reserve || sessions[index].queue.running == 0
    }

    /// Updates the number of configured sessions without slots.
    private mutating func noteBusy(_ index: Int, before: Int) {
        let after = sessions[index].queue.running
        guard (before > 0) != (after > 0), !sessions[index].pauseReasons.contains(.unconfigured) else { return }
        idleSessions += after > 0 ? -1 : 1
    }

    mutating func takeTurn(_ index: Int) {
        if sessions[index].queue.wantsTurn() { turns.append(index) }
    }

    /// True if ``start(at:)`` and ``nextLoad()`` return nothing until something changes.
    package var isAtRest: Bool { turns.isEmpty && sleepers.isEmpty && loads.isEmpty }

    // MARK: Queue

    /// Returns the first task of a session's queue; `nil` if none is in memory.
    package mutating func first(session: String) -> QueuePosition? {
        guard let index = indices[session] else { return nil }
        return sessions[index].queue.first()
    }

    /// Adds a task that is queued in the store, or moves it to a new position.
    package mutating func enqueue(_ position: QueuePosition, session: String) {
        guard let index = indices[session] else { return }
        sessions[index].queue.insert(position)
        takeTurn(index)
        requestLoad(index)
    }

    /// Removes a task from the queue that was not started.
    ///
    /// If it was already returned by ``start(at:)``, its life cycle refuses to start.
    package mutating func withdraw(_ id: TaskID, session: String) {
        guard let index = indices[session] else { return }
        sessions[index].queue.withdraw(id)
        requestLoad(index)
    }

    /// Notes that the store may have queued tasks of the session that are not loaded.
    package mutating func noteStored(session: String) {
        guard let index = indices[session] else { return }
        sessions[index].queue.noteStored()
        requestLoad(index)
    }

    /// Lists a session for ``nextLoad()`` if its queue should be loaded; called after each change of its queue that may
    /// be the reason.
    private mutating func requestLoad(_ index: Int) {
        if sessions[index].queue.wantsLoad() { loads.append(index) }
    }

    /// Returns a part of a queue that should be read now, if any, once each until ``didLoad(_:_:)``.
    package mutating func nextLoad() -> Load? {
        while let index = loads.popFirst() {
            if let request = sessions[index].queue.startLoad() {
                return Load(session: sessions[index].name, position: request.position, limit: request.limit)
            }
        }
        return nil
    }

    /// Adds the result of a load: the positions in order, or `nil` when reading failed, to request it again.
    package mutating func didLoad(_ load: Load, _ positions: [QueuePosition]?) {
        guard let index = indices[load.session] else { return }
        sessions[index].queue.finishLoad(positions, limit: load.limit)
        takeTurn(index)
        requestLoad(index)
    }
}
