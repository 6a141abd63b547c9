package import BodyFiles
package import Configuration
import Locking
package import Logging
import SessionCore
import TaskAdmission
package import TaskStore
import Transfer

/// Brings tasks from acceptance to their end: stores each step before it acts on it, starts what has a place, and lets
/// clients intervene.
///
/// The decisions are values (``Admission``, ``TaskTransition``, `TaskLifecycle`); this class holds them behind one lock
/// and performs what they say after the lock is left. Any thread.
package final class Dispatcher: Sendable {
    let store: any TaskStore
    let sessions: SessionCatalog
    let bodies: BodyFiles
    let recent: RecentTasks
    let watchers: TaskWatchers
    let now: @Sendable () -> Timestamp
    let random: @Sendable () -> Double
    let logger: Logger
    let state: Mutex<State>

    let time: SteadyTime

    struct State {
        var admission: Admission
        var live: [TaskID: LiveTask] = [:]
        /// What is added to tasks that end.
        var completion: TaskCompletion
        /// How many tasks are on their way into the queues of sessions that bound them.
        var gauges: [String: QueueGauge] = [:]
        /// Tasks whose time has come without effect: they cannot be read, or their connections are being closed.
        var passedOver: Set<TaskID> = []
        /// Rings when a session may start what it has to wait with; `nil` unless tasks are started.
        var waker: Alarm<ContinuousClock.Instant>?
        /// Rings when a task's time has come, or its deadline; `nil` unless tasks are started.
        var alarm: Alarm<Timestamp>?
        /// The sessions that take no task any more.
        var closedSessions: Set<String> = []
        /// Tasks are started.
        var isOpen = false
        /// The gateway ends: attempts are cut off and their tasks left as they are, for the next start to recover.
        var isAbandoning = false
        /// Removes what was kept for long enough; `nil` unless tasks are started.
        var sweeps: Alarm<ContinuousClock.Instant>?
        /// Looks for body files that belong to no task, once.
        var orphanScan: Task<Void, Never>?
        /// Who waits for the last live task to go.
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
    }

    /// Creates a dispatcher that accepts tasks and starts none until ``open()``.
    ///
    /// - Parameters:
    ///   - maxRunning: Attempts under way in all.
    ///   - window: Queued tasks whose order is known in memory.
    ///   - retention: How long tasks are kept that are done.
    ///   - clock: Lets time pass.
    ///   - now: The time of day.
    ///   - random: From 0 to 1, for pauses that are not to end all at once.
    package init(
        store: any TaskStore, sessions: SessionCatalog, bodies: BodyFiles, maxRunning: Int, window: Int,
        retention: RetentionConfiguration = RetentionConfiguration(), clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Timestamp,
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) }, logger: Logger
    ) {
        time = SteadyTime(clock)
        self.store = store
        self.sessions = sessions
        self.bodies = bodies
        self.now = now
        self.random = random
        self.logger = logger
        recent = RecentTasks()
        watchers = TaskWatchers()
        let rules = sessions.rules
        state = Mutex(
            State(
                admission: Admission(maxRunning: maxRunning, window: window, rules: rules, at: time.now),
                completion: TaskCompletion(
                    retention: retention,
                    callbacks: CallbackDeliveries(sessions: sessions, ids: TaskIDGenerator(now: now)))))
        sessions.onReachabilityChange { [weak self] session in self?.didChangeReachability(of: session) }
    }

    // MARK: Starting

    /// Starts what has a place, and reads on where a queue continues in the store.
    func pump() {
        let (starts, load, waker) = state.withLock { state in
            state.isOpen
                ? (state.admission.start(at: time.now), state.admission.nextLoad(), state.waker) : (nil, nil, nil)
        }
        for start in starts?.tasks ?? [] {
            Task { await begin(start) }
        }
        if let wakeAt = starts?.wakeAt { waker?.set(to: wakeAt) }
        if let load {
            Task { await fill(load) }
        }
    }

    private func begin(_ start: Admission.Start) async {
        guard let record = await known(start.id), record.state == .queued, state.withLock({ $0.isOpen }) else {
            return release(start.id, of: start.session, hasBegun: false)
        }
        guard !state.withLock({ $0.admission.mustStop(start.id, session: start.session, at: time.now) }) else {
            // Held since its place was taken: it waits on.
            release(start.id, of: start.session, hasBegun: false)
            return enqueue(record)
        }
        await deliver(.start, to: record)
    }

    /// Has a queued task wait for a place.
    func enqueue(_ record: TaskRecord) {
        state.withLock { $0.admission.enqueue(record.queuePosition, session: record.session) }
        pump()
    }

    private func fill(_ load: Admission.Load) async {
        let positions = await untilItWorks("reading queued tasks") { [store] () async throws(TaskStoreError) in
            try await store.queued(session: load.session, after: load.position, limit: load.limit)
        }
        state.withLock { $0.admission.didLoad(load, positions) }
        pump()
    }

    /// The task as it is now, from memory or the store; `nil` when it is gone or unreadable, or the gateway ends.
    ///
    /// - Parameter inStore: Read the store: what it alone decides is not known in memory.
    func known(_ id: TaskID, inStore: Bool = false) async -> TaskRecord? {
        if !inStore, let record = recent.record(id) { return record }
        let found = await untilItWorks("reading a task") { () async throws(TaskStoreError) in
            try await unlessUnreadable(id) { () async throws(TaskStoreError) in try await store.task(id) }
        }
        return found ?? nil
    }

    /// What an operation with a task comes to, `nil` when the task is sealed with a key that is missing, or damaged.
    ///
    /// Such a task does not hold up the others. It stays in the store as it is, and goes on with the first start that
    /// can read it.
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

    /// Gives the place of a task back.
    ///
    /// - Parameter hasBegun: An attempt has been made from it.
    func release(_ id: TaskID, of session: String, hasBegun: Bool = true) {
        state.withLock { $0.admission.release(id, session: session, hasBegun: hasBegun, at: time.now) }
        pump()
    }

    // MARK: Trouble with the store

    /// Repeats a store operation until it succeeds, with growing pauses; `nil` when the gateway ends before.
    func untilItWorks<Value: Sendable>(
        _ what: String, _ operation: () async throws(TaskStoreError) -> Value
    ) async -> Value? {
        var pause = Duration.milliseconds(100)
        while !state.withLock({ $0.isAbandoning }) {
            do {
                return try await operation()
            } catch {
                guard error.code != .closed else { return nil }
                logger.error("The store failed; trying again", metadata: ["what": "\(what)", "error": "\(error)"])
                // Not cancelled with the attempt whose end is being stored: it must be stored all the same.
                let rest = pause
                await Task { try? await Task.sleep(for: rest) }.value
                pause = min(pause * 2, .seconds(5))
            }
        }
        return nil
    }
}
