import ErrandBodyFiles
package import ErrandConfiguration
import ErrandLocking
import ErrandSessionCore
import ErrandTaskAdmission
import ErrandTaskEvents
import ErrandTaskStore
import ErrandTime
import ErrandTransfer

/// Brings tasks from acceptance to their end: stores each step before it acts on it, starts tasks that have a slot, and
/// serves clients' operations.
///
/// The decisions are values (``Admission``, ``TaskTransition``, `TaskLifecycle`); this class keeps them behind one lock
/// and performs their effects after the lock is released. Any thread.
package final class Dispatcher: Sendable {
    let context: TaskContext
    let state: Mutex<State>
    let disk: DiskWatch
    /// Delivers the steps of tasks that become due.
    let due: DueTimer
    /// The removals of tasks that clients have requested.
    let removals = RemovalsUnderWay()
    /// Removes tasks whose retention time is over.
    let sweeps: RetentionSweeps
    /// Adjusts tasks when the system's clock was set.
    let clockAdjustment: ClockAdjustment
    /// Stores the pauses of upstreams for the next start.
    let holds: UpstreamHolds
    /// The read of the times since which the first tasks of queues wait, for the metrics.
    let readyTimes: SharedOperation<Result<[TaskID: Timestamp], TaskStoreError>>

    struct State {
        var admission: Admission
        var live = LiveTasks()
        /// The retention time and callbacks added to tasks that end.
        var completion: TaskCompletion
        /// The longest of the retention times that what is stored may have.
        var longestRetention: LongestRetention
        /// The number of tasks that are being added to the queues of sessions with a limit.
        var gauges: [String: QueueGauge] = [:]
        /// Fires when a session's rate limit or pause allows the next start; `nil` unless tasks are started.
        var waker: Alarm<ContinuousClock.Instant>?
        /// Notified of changes that are not stored.
        weak var liveObserver: (any LiveObserver)?
        /// The sessions that accept no tasks.
        var closedSessions: Set<String> = []
        var phase = Phase.created

        /// True if tasks are started.
        var isOpen: Bool { phase == .running }
        /// True from the moment at which no more tasks are accepted, as the gateway stops.
        var isStopping: Bool { phase == .draining }
    }

    /// The phases of a dispatcher, in their order.
    enum Phase: Sendable {
        /// Tasks are accepted, and none is started.
        case created
        /// Tasks are accepted and started.
        case running
        /// Tasks are neither accepted nor started, and those with an attempt end.
        case draining
    }

    /// Creates a dispatcher that accepts tasks and starts none until ``start()``.
    ///
    /// - Parameters:
    ///   - context: The objects that it shares with the other parts of the task engine.
    ///   - maxRunning: The most attempts under way in all.
    ///   - window: The number of queued tasks whose order is known in memory.
    ///   - retention: The retention times of tasks that have ended.
    ///   - minFreeBytes: The free space on the disk of bodies below which no attempt begins; 0 for no limit.
    ///   - freeBytes: Measures the free space; `nil` to ask the context's `bodies`.
    package init(
        context: TaskContext, maxRunning: Int, window: Int,
        retention: RetentionConfiguration = RetentionConfiguration(), minFreeBytes: Int64 = 0,
        freeBytes: (@Sendable () async -> Int64?)? = nil
    ) {
        self.context = context
        due = DueTimer(context)
        sweeps = RetentionSweeps(context)
        clockAdjustment = ClockAdjustment(context)
        holds = UpstreamHolds(context)
        readyTimes = SharedOperation(patience: context.patience.metrics, timer: context.timer)
        let (bodies, sessions) = (context.bodies, context.sessions)
        disk = DiskWatch(
            minFreeBytes: minFreeBytes, logger: context.logger,
            freeBytes: freeBytes ?? {
                // A disk whose free space cannot be determined delays no attempt.
                try? await bodies.freeBytes()
            })
        let rules = sessions.rules
        state = Mutex(
            State(
                admission: Admission(maxRunning: maxRunning, window: window, rules: rules, at: context.monotonic.now),
                completion: TaskCompletion(
                    retention: retention,
                    callbacks: CallbackDeliveries(sessions: sessions, ids: context.ids)),
                longestRetention: LongestRetention(retention)))
        context.wall.add(self)
        disk.observe { [weak self] isShort in self?.didMeasureDisk(isShort: isShort) }
        sessions.onReachabilityChange { [weak self] session in
            guard let self else { return }
            didChangeReachability(of: session)
            report(.reachability(self.context.sessions.reachability(of: session)), of: session)
        }
    }

    // MARK: Starting tasks

    /// Starts the tasks that have a slot, and loads more of a queue from the store.
    func startReadyTasks() {
        let ready = state.withLock { $0.takeReady(at: context.monotonic.now) }
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
        guard let record = await context.known(start.id), record.state == .queued,
            let mustStop = state.withLock({ state -> Bool? in
                guard state.isOpen else { return nil }
                return state.admission.mustStop(start.id, session: start.session, at: context.monotonic.now)
            })
        else {
            return giveBack(start)
        }
        guard !mustStop else {
            // Its session was paused since the slot was taken: the task keeps waiting.
            giveBack(start)
            return enqueue(record)
        }
        let destination = destination(of: record)
        // Also a retry that needs no token: it may have taken one with an earlier start, before run-now.
        if record.attemptCount > 0 || destination != nil,
            await !mayBegin(start, record, to: destination, needsToken: record.needsToken)
        {
            return
        }
        await deliver(.start, to: record)
    }

    /// Adds a queued task to its session's queue.
    func enqueue(_ record: TaskRecord) {
        let ready = state.withLock { state in
            state.admission.enqueue(record.queuePosition, session: record.session)
            return state.takeReady(at: context.monotonic.now)
        }
        start(ready)
    }

    private func fill(_ load: Admission.Load) async {
        let positions = await context.retryingStoreErrors("reading queued tasks") { () async throws(TaskStoreError) in
            try await context.store.queued(session: load.session, after: load.position, limit: load.limit)
        }
        let ready = state.withLock { state in
            state.admission.didLoad(load, positions)
            return state.takeReady(at: context.monotonic.now)
        }
        start(ready)
    }

    /// Releases the slot of a task that is not started with it.
    func giveBack(_ start: Admission.Start) {
        let ready = state.withLock { state in
            let now = context.monotonic.now
            state.admission.giveBack(start.id, session: start.session, at: now)
            return state.takeReady(at: now)
        }
        self.start(ready)
    }

    /// Releases the slot of a task, and the one at its destination.
    ///
    /// - Parameter hasBegun: True if an attempt was made with the slot.
    func release(_ id: TaskID, of session: String, hasBegun: Bool = true) {
        let ready = state.withLock { state in
            let now = context.monotonic.now
            state.admission.release(id, session: session, hasBegun: hasBegun, at: now)
            return state.takeReady(at: now)
        }
        start(ready)
    }

    // MARK: The disk

    /// True if the disk of bodies has too little free space, so that no attempt begins.
    package var isDiskShort: Bool { disk.isShort }

    /// Stops starting tasks of all sessions, added ones included, while the disk has too little free space.
    func didMeasureDisk(isShort: Bool) {
        state.withLock { state in
            for session in context.sessions.names { _ = state.admission.set(.diskFull, to: isShort, session: session) }
        }
        if !isShort { startReadyTasks() }
    }
}

extension Dispatcher.State {
    /// Takes the tasks that can start, with their slots, and a part of a queue to load; `nil` if there is nothing.
    mutating func takeReady(at now: ContinuousClock.Instant) -> Dispatcher.Ready? {
        guard isOpen, !admission.isAtRest else { return nil }
        return Dispatcher.Ready(starts: admission.start(at: now), load: admission.nextLoad(), waker: waker)
    }
}
