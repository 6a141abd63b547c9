package import ErrandBodyFiles
package import ErrandConfiguration
import ErrandLocking
import ErrandSessionCore
import ErrandTaskAdmission
import ErrandTaskEvents
package import ErrandTaskStore
package import ErrandTime
import ErrandTransfer
package import Logging

/// Brings tasks from acceptance to their end: stores each step before it acts on it, starts tasks that have a slot, and
/// serves clients' operations.
///
/// The decisions are values (``Admission``, ``TaskTransition``, `TaskLifecycle`); this class keeps them behind one lock
/// and performs their effects after the lock is released. Any thread.
package final class Dispatcher: Sendable {
    let store: any TaskStore
    let sessions: SessionCatalog
    let bodies: BodyFiles
    let recent: RecentTasks
    let watchers: TaskWatchers
    let timer: SharedTimer
    let patience: ClientPatience
    let now: @Sendable () -> Timestamp
    /// Generates the identifiers of tasks.
    let ids: TaskIDGenerator
    let clockQueue = KeyedSerialQueue()
    let wall: WallClock
    let random: @Sendable () -> Double
    let logger: Logger
    let state: Mutex<State>
    let disk: DiskWatch

    let time: SteadyTime

    struct State {
        var admission: Admission
        var live: [TaskID: LiveTask] = [:]
        /// The retention time and callbacks added to tasks that end.
        var completion: TaskCompletion
        /// The number of tasks that are being added to the queues of sessions with a limit.
        var gauges: [String: QueueGauge] = [:]
        /// Due tasks on which the step had no effect: they cannot be read, or their connections are being closed.
        var skipped: Set<TaskID> = []
        /// Fires when a session's rate limit or pause allows the next start; `nil` unless tasks are started.
        var waker: Alarm<ContinuousClock.Instant>?
        /// Fires when a task becomes due or overdue; `nil` unless tasks are started.
        var alarm: Alarm<Timestamp>?
        /// The time by which the clock was set back between the last run and this one, as far as is known.
        var setback = Duration.zero
        /// Notified of changes that are not stored.
        weak var liveObserver: (any LiveObserver)?
        /// The changes of the system's clock.
        var clock = ClockChanges()
        /// The sessions that accept no tasks.
        var closedSessions: Set<String> = []
        /// True if tasks are started.
        var isOpen = false
        /// True when the gateway ends: attempts are cut off and their tasks left as they are, for the next start to
        /// recover.
        var isAbandoning = false
        /// Removes expired tasks, idempotency keys and records of deletions; `nil` unless tasks are started.
        var sweeps: Alarm<ContinuousClock.Instant>?
        /// Removes body files that belong to no task, once.
        var orphanScan: Task<Void, Never>?
        /// The removals under way: they belong to no request.
        var removals: [TaskID: Task<Result<Bool, TaskStoreError>, Never>] = [:]
        /// Waiters for the end of the last live task.
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
    }

    /// Creates a dispatcher that accepts tasks and starts none until ``open()``.
    ///
    /// - Parameters:
    ///   - maxRunning: The most attempts under way in all.
    ///   - window: The number of queued tasks whose order is known in memory.
    ///   - retention: The retention times of tasks that have ended.
    ///   - minFreeBytes: The free space on the disk of bodies below which no attempt begins; 0 for no limit.
    ///   - freeBytes: Measures the free space; `nil` to ask `bodies`.
    ///   - clock: The clock for sleeps and for measuring durations.
    ///   - now: The time of day.
    ///   - steady: The clock that the time of day is compared with, to notice that it was set; `nil` for no comparison.
    ///   - ids: Generates the identifiers of tasks, callbacks included.
    ///   - random: A random number from 0 to 1, to spread pauses.
    ///   - patience: The longest times that clients wait.
    package init(
        store: any TaskStore, sessions: SessionCatalog, bodies: BodyFiles, maxRunning: Int, window: Int,
        retention: RetentionConfiguration = RetentionConfiguration(), minFreeBytes: Int64 = 0,
        freeBytes: (@Sendable () async -> Int64?)? = nil, clock: any Clock<Duration> = ContinuousClock(),
        now read: @escaping @Sendable () -> Timestamp, steady: (any Clock<Duration>)? = nil,
        ids: TaskIDGenerator? = nil,
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) }, patience: ClientPatience = ClientPatience(),
        logger: Logger
    ) {
        time = SteadyTime(clock)
        self.store = store
        self.sessions = sessions
        self.bodies = bodies
        let wall = WallClock(read, steady: steady)
        self.wall = wall
        now = { wall.now }
        let ids = ids ?? TaskIDGenerator(now: read)
        self.ids = ids
        self.random = random
        self.logger = logger
        disk = DiskWatch(
            minFreeBytes: minFreeBytes, logger: logger,
            freeBytes: freeBytes ?? {
                // A disk whose free space cannot be determined delays no attempt.
                try? await bodies.freeBytes()
            })
        recent = RecentTasks()
        timer = SharedTimer(ContinuousClock())
        watchers = TaskWatchers(timer: timer)
        self.patience = patience
        let rules = sessions.rules
        state = Mutex(
            State(
                admission: Admission(maxRunning: maxRunning, window: window, rules: rules, at: time.now),
                completion: TaskCompletion(
                    retention: retention,
                    callbacks: CallbackDeliveries(sessions: sessions, ids: ids))))
        wall.add(self)
        disk.observe { [weak self] isShort in self?.didMeasureDisk(isShort: isShort) }
        sessions.onReachabilityChange { [weak self] session in
            guard let self else { return }
            didChangeReachability(of: session)
            let observer = state.withLock { $0.liveObserver }
            observer?.reachabilityDidChange(of: session, to: self.sessions.reachability(of: session))
        }
    }

    /// Adds an observer that is called when the clock was set.
    func observeClock(_ observer: any WallClockObserver) { wall.add(observer) }

    // MARK: Starting tasks

    /// Starts the tasks that have a slot, and loads more of a queue from the store.
    func startReadyTasks() {
        let ready = state.withLock { $0.takeReady(at: time.now) }
        start(ready)
    }

    /// The tasks that have a slot, and the part of a queue to load.
    struct Ready: Sendable {
        /// The tasks, with the time at which more can start.
        var starts: Admission.Starts
        /// The part of a queue to load, if any.
        var load: Admission.Load?
        /// Fires at that time.
        var waker: Alarm<ContinuousClock.Instant>?
    }

    /// Starts tasks, and loads more of a queue from the store.
    ///
    /// - Parameter ready: The tasks and the part of a queue; `nil` for nothing.
    func start(_ ready: Ready?) {
        disk.attemptsBegin()
        guard let ready else { return }
        for start in ready.starts.tasks {
            Task { await begin(start) }
        }
        if let wakeAt = ready.starts.wakeAt { ready.waker?.set(to: wakeAt) }
        if let load = ready.load {
            Task { await fill(load) }
        }
    }

    private func begin(_ start: Admission.Start) async {
        guard let record = await known(start.id), record.state == .queued,
            let mustStop = state.withLock({ state -> Bool? in
                guard state.isOpen else { return nil }
                return state.admission.mustStop(start.id, session: start.session, at: time.now)
            })
        else {
            return release(start.id, of: start.session, hasBegun: false)
        }
        guard !mustStop else {
            // Its session was paused since the slot was taken: the task keeps waiting.
            release(start.id, of: start.session, hasBegun: false)
            return enqueue(record)
        }
        if let destination = destination(of: record) {
            let verdict = state.withLock {
                $0.admission.begin(record.queuePosition, to: destination, at: time.now)
            }
            switch verdict {
            case .begins:
                break
            case .waits:
                return startReadyTasks()
            case .later(let wait):
                startReadyTasks()
                return await deliver(.putOff(until: now().adding(wait)), to: record)
            }
        }
        await deliver(.start, to: record)
    }

    /// Adds a queued task to its session's queue.
    func enqueue(_ record: TaskRecord) {
        let ready = state.withLock { state in
            state.admission.enqueue(record.queuePosition, session: record.session)
            return state.takeReady(at: time.now)
        }
        start(ready)
    }

    private func fill(_ load: Admission.Load) async {
        let positions = await retryingStoreErrors("reading queued tasks") { [store] () async throws(TaskStoreError) in
            try await store.queued(session: load.session, after: load.position, limit: load.limit)
        }
        let ready = state.withLock { state in
            state.admission.didLoad(load, positions)
            return state.takeReady(at: time.now)
        }
        start(ready)
    }

    /// Returns the current task, from memory or the store; `nil` if it is gone or unreadable, or the gateway ends.
    ///
    /// - Parameter inStore: True to read the store, for values that only the store decides.
    func known(_ id: TaskID, inStore: Bool = false) async -> TaskRecord? {
        if !inStore, let record = recent.record(id) { return record }
        let found = await retryingStoreErrors("reading a task") { () async throws(TaskStoreError) in
            try await unlessUnreadable(id) { () async throws(TaskStoreError) in try await store.task(id) }
        }
        return found ?? nil
    }

    /// Returns the result of an operation on a task, or `nil` if the task is sealed with a missing key, or damaged.
    ///
    /// Such a task does not delay the others. It stays in the store, and continues with the first start that can read
    /// it.
    func unlessUnreadable<Value: Sendable>(
        _ id: TaskID, _ operation: () async throws(TaskStoreError) -> Value?
    ) async throws(TaskStoreError) -> Value? {
        do {
            return try await operation()
        } catch {
            guard error.code == .sealed || error.code == .corrupt else { throw error }
            logger.error("A task cannot be read", metadata: ["task": "\(id)", "error": "\(error)"])
            return nil
        }
    }

    /// Releases the slot of a task.
    ///
    /// - Parameter hasBegun: True if an attempt was made with the slot.
    func release(_ id: TaskID, of session: String, hasBegun: Bool = true) {
        let ready = state.withLock { state in
            let steady = time.now
            state.admission.release(id, session: session, hasBegun: hasBegun, at: steady)
            return state.takeReady(at: steady)
        }
        start(ready)
    }

    // MARK: Store failures

    /// Stops starting tasks of all sessions, added ones included, while the disk has too little free space.
    func didMeasureDisk(isShort: Bool) {
        state.withLock { state in
            for session in sessions.names { _ = state.admission.set(.diskFull, to: isShort, session: session) }
        }
        if !isShort { startReadyTasks() }
    }

    /// Repeats a store operation with growing pauses until it succeeds; `nil` if the gateway ends before.
    ///
    /// Each pause sleeps in its own task, so that it also lasts when the calling task is cancelled: an event that has
    /// happened is stored in any case.
    ///
    /// - Parameter onFailure: Called after each failure.
    func retryingStoreErrors<Value: Sendable>(
        _ what: String, onFailure: (TaskStoreError) -> Void = { _ in },
        _ operation: () async throws(TaskStoreError) -> Value
    ) async -> Value? {
        var pause = Duration.milliseconds(100)
        while !state.withLock({ $0.isAbandoning }) {
            do {
                return try await operation()
            } catch {
                guard error.code != .closed else { return nil }
                logger.error(
                    "The store failed; trying again",
                    metadata: ["what": "\(what)", "error": "\(error.debugDescription)"])
                onFailure(error)
                let rest = pause
                // This task is never cancelled: the sleep cannot fail.
                await Task { try? await Task.sleep(for: rest) }.value
                pause = min(pause * 2, .seconds(5))
            }
        }
        return nil
    }
}

extension Dispatcher.State {
    /// Takes the tasks that can start, with their slots, and a part of a queue to load; `nil` if there is nothing.
    mutating func takeReady(at now: ContinuousClock.Instant) -> Dispatcher.Ready? {
        guard isOpen, !admission.isAtRest else { return nil }
        return Dispatcher.Ready(starts: admission.start(at: now), load: admission.nextLoad(), waker: waker)
    }
}

/// The longest times that the dispatcher lets a client wait.
package struct ClientPatience: Sendable, Hashable {
    /// The time for a step to be stored.
    ///
    /// After it, the client is told that the store does not keep up, and may ask again.
    package var reply = Duration.seconds(10)
    /// The time for the connection of a cancelled attempt to be closed, before the client is told `canceling`.
    package var cancel = Duration.seconds(2)
    /// The time for a task that is to be deleted to end, after the cancellation.
    package var removal = Duration.seconds(8)

    /// Creates the gateway's limits: no call waits longer than the sum of these times.
    package init() {}
}
