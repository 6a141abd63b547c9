package import BodyFiles
import Locking
package import Logging
package import SessionCore
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
    let logger: Logger
    let state: Mutex<State>

    struct State {
        var admission: Admission
        var live: [TaskID: LiveTask] = [:]
        /// The sessions that take no task any more.
        var closedSessions: Set<String> = []
        /// Tasks are started.
        var isOpen = false
        /// The gateway ends: attempts are cut off and their tasks left as they are, for the next start to recover.
        var isAbandoning = false
        /// Who waits for the last live task to go.
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
    }

    /// Creates a dispatcher that accepts tasks and starts none until ``open()``.
    ///
    /// - Parameters:
    ///   - maxRunning: Attempts under way in all.
    ///   - window: Queued tasks whose order is known in memory.
    package init(
        store: any TaskStore, sessions: SessionCatalog, bodies: BodyFiles, maxRunning: Int, window: Int,
        now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) {
        self.store = store
        self.sessions = sessions
        self.bodies = bodies
        self.now = now
        self.logger = logger
        recent = RecentTasks()
        watchers = TaskWatchers()
        let limits = sessions.concurrencyLimits
        state = Mutex(State(admission: Admission(maxRunning: maxRunning, window: window, limits: limits)))
        sessions.onReachabilityChange { [weak self] session in self?.didChangeReachability(of: session) }
    }

    // MARK: Creating

    /// What became of a task that somebody wants created.
    package enum CreateAnswer: Sendable {
        /// It is stored, and its attempt has begun if there was a place for it.
        case created(TaskRecord)
        /// Its session takes no task any more.
        case sessionClosed
    }

    /// Accepts a task: it is stored when this returns.
    ///
    /// - Parameters:
    ///   - record: The task, queued or suspended.
    ///   - prepared: Its request, prepared.
    package func create(_ record: TaskRecord, prepared: PreparedRequest) async throws(TaskStoreError) -> CreateAnswer {
        guard let record = state.withLock({ $0.accept(record, prepared) }) else { return .sessionClosed }
        do {
            try await store.insert(record)
        } catch {
            let steps = state.withLock { state in
                if record.state == .running { state.admission.release(session: record.session) }
                return state.live.removeValue(forKey: record.id)?.waiting ?? []
            }
            // Of an operator who cancels all tasks of the session.
            for step in steps { step.reply?.resume(returning: .gone) }
            retireIfIdle(record.id)
            pump()
            throw error
        }
        recent.put(record)
        switch record.state {
        case .running: launch(record.id)
        case .queued: enqueue(record)
        default: break
        }
        await workOff(record.id)
        return .created(record)
    }

    private func enqueue(_ record: TaskRecord) {
        state.withLock { $0.admission.enqueue(record.queuePosition, session: record.session) }
        pump()
    }

    // MARK: Starting

    /// Starts what has a place, and reads on where a queue continues in the store.
    func pump() {
        let (starts, load) = state.withLock { state in
            state.isOpen ? (state.admission.start(), state.admission.nextLoad()) : ([], nil)
        }
        for start in starts {
            Task { await begin(start) }
        }
        if let load {
            Task { await fill(load) }
        }
    }

    private func begin(_ start: Admission.Start) async {
        guard let record = await known(start.id), record.state == .queued, state.withLock({ $0.isOpen }) else {
            return release(start.session)
        }
        guard !state.withLock({ $0.admission.isHeld(session: start.session) }) else {
            // Held since its place was taken: it waits on.
            release(start.session)
            return enqueue(record)
        }
        await deliver(.start, to: record)
    }

    private func fill(_ load: Admission.Load) async {
        let positions = await untilItWorks("reading queued tasks") { [store] () async throws(TaskStoreError) in
            try await store.queued(session: load.session, after: load.position, limit: load.limit)
        }
        state.withLock { $0.admission.didLoad(load, positions) }
        pump()
    }

    /// The task as it is now, from memory or the store; `nil` when it is gone or unreadable, or the gateway ends.
    private func known(_ id: TaskID) async -> TaskRecord? {
        if let record = recent.record(id) { return record }
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

    func release(_ session: String) {
        state.withLock { $0.admission.release(session: session) }
        pump()
    }

    // MARK: Steps

    /// Delivers a step to a task.
    ///
    /// Returns when it is done, or taken over by whoever has the task's pen.
    ///
    /// - Parameter record: The task as the caller knows it. A task that is live already is taken as it is.
    func deliver(
        _ step: TaskStep, to record: TaskRecord, reply: CheckedContinuation<StepReply, Never>? = nil
    ) async {
        let isMine = state.withLock { state in
            var task = state.live[record.id] ?? LiveTask(record)
            task.append(LiveTask.Waiting(step: step, reply: reply))
            defer { state.live[record.id] = task }
            return task.takePen()
        }
        if isMine { await workOff(record.id) }
    }

    /// Works off the steps of a task until there are none.
    ///
    /// The caller has its pen.
    func workOff(_ id: TaskID) async {
        while let (waiting, record) = state.withLock({ $0.nextStep(of: id) }) {
            let transition = TaskTransition(of: waiting.step, on: record, at: now())
            guard let next = transition.record else {
                await perform(transition.effects, on: record)
                waiting.reply?.resume(returning: transition.isRefused ? .refused(record) : .unchanged(record))
                continue
            }
            switch await write(next, after: record, isPatient: waiting.reply == nil) {
            case .stored:
                state.withLock { $0.live[id]?.record = next }
                recent.put(next)
                await perform(transition.effects, on: next)
                watchers.didChange(next)
                waiting.reply?.resume(returning: .changed(next))
            case .stale(let current):
                state.withLock { $0.replace(id, with: current, putBack: waiting) }
            case .gone:
                if case .start = waiting.step { release(record.session) }
                waiting.reply?.resume(returning: .gone)
            case .failed(let error):
                waiting.reply?.resume(returning: .failed(error))
            }
        }
        retireIfIdle(id)
    }

    private enum Written {
        case stored
        case stale(TaskRecord)
        case gone
        case failed(TaskStoreError)
    }

    /// Stores a change.
    ///
    /// A patient one is tried until the store can write again: it tells what has happened already.
    private func write(_ next: TaskRecord, after record: TaskRecord, isPatient: Bool) async -> Written {
        let attempt = { [store] () async throws(TaskStoreError) -> Written in
            if try await store.update(next, expecting: record.revision) { return .stored }
            guard let current = try await store.task(next.id) else { return .gone }
            return .stale(current)
        }
        do {
            return try await attempt()
        } catch  where isPatient {
            return await untilItWorks("storing a task's progress", attempt) ?? .failed(error)
        } catch {
            return .failed(error)
        }
    }

    private func perform(_ effects: [TaskTransition.Effect], on record: TaskRecord) async {
        for effect in effects {
            switch effect {
            case .launch: launch(record.id)
            case .standStill: attempt(of: record.id)?.control.suspend()
            case .goOn: attempt(of: record.id)?.control.resume()
            case .closeConnection: attempt(of: record.id)?.work.cancel()
            case .enqueue: enqueue(record)
            case .withdraw: withdraw(record)
            case .releasePlace: release(record.session)
            // Before the next step, which may begin an attempt with a body of its own.
            case .dropBody: await removeBody(of: record.id)
            }
        }
    }

    private func withdraw(_ record: TaskRecord) {
        state.withLock { $0.admission.withdraw(record.id, session: record.session) }
        // What is known of the queue may have run low.
        pump()
    }

    /// Lets go of a task that nothing is being done to any more.
    func retireIfIdle(_ id: TaskID) {
        let waiters = state.withLock { $0.retire(id) }
        for waiter in waiters { waiter.resume() }
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

extension Dispatcher.State {
    /// Takes in a task that is about to be stored, running if it has a place; `nil` when its session takes none.
    fileprivate mutating func accept(_ record: TaskRecord, _ prepared: PreparedRequest) -> TaskRecord? {
        guard !closedSessions.contains(record.session) else { return nil }
        var record = record
        if record.state == .queued, isOpen, admission.reserve(session: record.session) {
            record.state = .running
            record.beginAttempt(at: record.createdAt)
        }
        var task = LiveTask(record, prepared: prepared)
        _ = task.takePen()
        live[record.id] = task
        return record
    }

    /// The next step of a task and the task; `nil` lays the pen down.
    fileprivate mutating func nextStep(of id: TaskID) -> (LiveTask.Waiting, TaskRecord)? {
        guard let step = live[id]?.nextStep(), let record = live[id]?.record else { return nil }
        return (step, record)
    }

    fileprivate mutating func replace(_ id: TaskID, with record: TaskRecord, putBack waiting: LiveTask.Waiting) {
        live[id]?.record = record
        live[id]?.putBack(waiting)
    }

    /// Removes a task without an attempt and without steps.
    ///
    /// - Returns: Who waited for the last one to go, when this was it.
    fileprivate mutating func retire(_ id: TaskID) -> [CheckedContinuation<Void, Never>] {
        if live[id]?.isIdle == true { live[id] = nil }
        guard live.isEmpty else { return [] }
        defer { idleWaiters = [] }
        return idleWaiters
    }
}

extension TaskRecord {
    /// Where the task is in its session's queue.
    package var queuePosition: QueuePosition {
        QueuePosition(priority: priority, id: id)
    }
}
