import ErrandConfiguration
import ErrandJSON
import ErrandLocking
package import ErrandTaskStore
package import ErrandTime
import Logging

/// Creates the tasks of schedules at their times.
///
/// A task and the schedule's next time are stored in one transaction, so that after a failure no task is created twice
/// and none is lost. All schedules are in memory; changes of one schedule run serially. Any thread.
package final class Scheduler: WallClockObserver {
    let context: TaskContext
    let dispatcher: Dispatcher
    let serialQueue = KeyedSerialQueue()
    /// Applies one configuration at a time.
    let configurationQueue = SerialQueue()
    private let state = Mutex(State())
    private let alarm = Mutex<Alarm<Timestamp>?>(nil)
    private let clock: any Clock<Duration>

    private struct State {
        var schedules: [String: Schedule] = [:]
        /// The bytes of the definitions that are being stored, by the names of their schedules.
        var incoming: [String: Int] = [:]
        /// The number of configurations that were applied, or tried.
        var configurations = 0
        /// True until the schedules of the last of these are stored.
        var isConfiguring = false
        /// The maximum nesting depth of task documents.
        var maxDepth = RequestLimits().maxDepth
    }

    /// The maximum number of schedules created through the API.
    package static let limit = 10_000
    /// The maximum size of their definitions in bytes, as all of them are in memory.
    package static let limitBytes = 32 << 20
    /// The longest time for which a change of the system's clock may go unnoticed.
    private static let longestSleep = Duration.seconds(30)

    /// Creates a scheduler that creates no tasks until it is opened.
    ///
    /// - Parameters:
    ///   - context: The objects that it shares with the dispatcher; schedules follow its time of day.
    ///   - dispatcher: Starts the tasks.
    ///   - clock: The clock to sleep with; `nil` for that of the context. With one of its own, a test counts only the
    ///     sleeps of schedules.
    package init(context: TaskContext, dispatcher: Dispatcher, clock: (any Clock<Duration>)? = nil) {
        self.context = context
        self.dispatcher = dispatcher
        self.clock = clock ?? context.monotonic.clock
        context.wall.add(self)
    }

    var logger: Logger { context.logger }

    /// The time of day.
    package var now: @Sendable () -> Timestamp { context.now }

    /// Records that a configuration is applied, which is then the current one.
    ///
    /// Called before its sessions replace the former ones: until its schedules are stored, a schedule of the former
    /// configuration that is due may name a session that is gone.
    ///
    /// - Returns: Its number.
    package func beginConfiguration() -> Int {
        state.withLock { state in
            state.configurations += 1
            state.isConfiguring = true
            return state.configurations
        }
    }

    /// Records that the schedules of the configuration with this number are stored.
    func endConfiguration(_ number: Int) {
        state.withLock { if $0.configurations == number { $0.isConfiguring = false } }
    }

    /// Returns true if no other configuration was applied since the one with this number.
    func isCurrent(configuration number: Int) -> Bool {
        state.withLock { $0.configurations == number }
    }

    // MARK: Schedules

    /// All schedules, sorted by name.
    package var all: [Schedule] {
        state.withLock { Array($0.schedules.values) }.sorted { $0.record.name < $1.record.name }
    }

    /// Returns the schedules whose names follow a name, in the order of their names; `nil` if there are none.
    ///
    /// - Parameters:
    ///   - name: The last name of the page before; `nil` for the first page.
    ///   - limit: The maximum number of schedules.
    /// - Returns: The schedules, without those that were removed meanwhile, and the last name of the page.
    package func page(after name: String?, limit: Int) -> (schedules: [Schedule], last: String)? {
        let all = state.withLock { Array($0.schedules.keys) }
        let names = all.filter { other in name.map { $0 < other } ?? true }.sorted().prefix(limit)
        guard let last = names.last else { return nil }
        return (schedules: names.compactMap { self[$0] }, last: last)
    }

    /// Returns the schedule with a name.
    package subscript(name: String) -> Schedule? {
        state.withLock { $0.schedules[name] }
    }

    /// The result of a reservation for a schedule of the API.
    enum Room {
        case reserved
        /// The maximum number of schedules is reached.
        case tooMany
        /// The definitions together would exceed the maximum size.
        case tooLarge
    }

    /// Reserves room for a schedule that is about to be stored, until ``release(_:)``.
    ///
    /// Schedules that are stored at the same time under other names count too.
    ///
    /// - Parameter bytes: The size of its definition.
    func reserve(_ name: String, bytes: Int) -> Room {
        state.withLock { state in
            var (count, sum) = (state.schedules.count, bytes)
            for (other, size) in state.incoming where other != name {
                if state.schedules[other] == nil { count += 1 }
                sum += size
            }
            for (other, schedule) in state.schedules where other != name && schedule.record.origin == .api {
                // A schedule that is being replaced counts with the larger of its two definitions.
                sum += max(schedule.record.definition.count - (state.incoming[other] ?? 0), 0)
            }
            guard state.schedules[name] != nil || count < Self.limit else { return .tooMany }
            guard sum <= Self.limitBytes else { return .tooLarge }
            state.incoming[name] = bytes
            return .reserved
        }
    }

    /// Releases the room of a schedule that was stored or failed to be stored.
    func release(_ name: String) {
        state.withLock { $0.incoming[name] = nil }
    }

    /// Keeps a schedule as it was stored.
    ///
    /// - Parameter former: The schedule from which it was made; `nil` if there was none.
    /// - Returns: The schedule as it is kept.
    @discardableResult
    private func keep(_ stored: Schedule, after former: Schedule?) -> Schedule {
        let kept = state.withLock { state in
            var kept = stored
            if let current = state.schedules[kept.record.name] { kept.follow(current) }
            // The clock may have been set since the next time was computed; the store keeps the former one until the
            // next change. For a new schedule this was not counted.
            if kept.resumptions != former?.resumptions { kept.resume(at: now()) }
            state.schedules[kept.record.name] = kept
            return kept
        }
        if let next = kept.wakesAt { alarm.withLock { $0 }?.set(to: next) }
        return kept
    }

    /// Changes a schedule in memory, if it exists, without a change of the clock in between.
    func change(_ name: String, _ update: (inout Schedule) -> Void) {
        let next = state.withLock { state -> Timestamp? in
            guard var schedule = state.schedules[name] else { return nil }
            update(&schedule)
            state.schedules[name] = schedule
            return schedule.wakesAt
        }
        if let next { alarm.withLock { $0 }?.set(to: next) }
    }

    /// Removes a schedule that is no longer stored.
    func drop(_ name: String) {
        state.withLock { $0.schedules[name] = nil }
    }

    // MARK: Life cycle

    /// Loads the stored schedules.
    package func load() async throws(TaskStoreError) {
        let schedules = try await context.store.schedules().map { Schedule($0) }
        state.withLock { state in
            for schedule in schedules { state.schedules[schedule.record.name] = schedule }
        }
        for schedule in schedules {
            if case .failure(let fault) = schedule.definition { log(fault.message, of: schedule.record) }
        }
    }

    /// Creates tasks from now on; times that have passed since the last process ended count as missed.
    package func open() {
        resume(at: now())
        let alarm = Alarm<Timestamp>(clock: clock, longestSleep: Self.longestSleep) { [now] moment in
            moment.duration(since: now())
        } ring: { [weak self] in
            await self?.makeDueTasks()
        }
        self.alarm.withLock { $0 = alarm }
        if let next = nextMoment { alarm.set(to: next) }
    }

    /// Stops creating tasks, after the running work has ended.
    package func close() async {
        let alarm = alarm.withLock { alarm in
            defer { alarm = nil }
            return alarm
        }
        await alarm?.stop()
    }

    /// Computes the next times again, after the clock was set.
    ///
    /// If the clock was set back by more than ``ScheduleTiming/longestSetback``, times count from now; otherwise, times
    /// whose task was created are not repeated.
    func clockWasSet(_ change: WallClock.Change) {
        resume(at: now())
        // The moment that the alarm sleeps for may have come, or be further away.
        alarm.withLock { $0 }?.set(to: .earliest)
    }

    /// Computes the next times of all schedules, which may take long: outside of the lock, for which requests wait.
    private func resume(at moment: Timestamp) {
        for former in state.withLock({ Array($0.schedules.values) }) {
            var resumed = former
            resumed.resume(at: moment)
            state.withLock { state in
                guard let current = state.schedules[former.record.name] else { return }
                if current.isSame(as: former) {
                    state.schedules[former.record.name] = resumed
                } else {
                    state.schedules[former.record.name]?.resume(at: moment)
                }
            }
        }
    }

    /// Sets the limit for documents from now on.
    func configure(maxDepth: Int) {
        state.withLock { $0.maxDepth = maxDepth }
    }

    // MARK: Times

    private var nextMoment: Timestamp? {
        state.withLock { $0.schedules.values.compactMap(\.wakesAt).min() }
    }

    /// Creates the tasks that are due; returns the next time.
    private func makeDueTasks() async -> Timestamp? {
        let moment = now()
        let due = state.withLock { state in
            state.schedules.values.filter { schedule in schedule.wakesAt.map { $0 <= moment } ?? false }
        }
        // Concurrently, so that many schedules with the same minute share the store's commits.
        await withTaskGroup { group in
            for schedule in due {
                let name = schedule.record.name
                group.addTask {
                    await self.serialQueue.run(key: name) { await self.step(name) }
                }
            }
        }
        return nextMoment
    }

    /// Handles a schedule's next time, if it is still due.
    private func step(_ name: String) async {
        guard let schedule = self[name], let due = schedule.record.nextRunAt else { return }
        guard let timing = schedule.timing else { return forget(name) }
        let action = timing.step(due: due, at: now(), wasTried: schedule.triedTime == due)
        do throws(TaskStoreError) {
            switch action {
            case .wait:
                break
            case .skip(let next):
                logger.notice(
                    "Skipped missed times of a schedule",
                    metadata: ["schedule": "\(name)", "since": "\(due)"])
                _ = try await put(schedule.passed(to: next), after: schedule)
            case .run(let time, let next):
                if try await !run(schedule, time: time, next: next) { tryAgain(schedule, due: due, after: action) }
            }
        } catch {
            context.log.runWasDelayed(of: name, because: error)
            tryAgain(schedule, due: due, after: action)
        }
    }

    /// Tries the next time of a schedule again after a pause.
    private func tryAgain(_ schedule: Schedule, due: Timestamp, after action: ScheduleTiming.Step) {
        let isInTime = if case .run(time: due, next: _) = action { true } else { false }
        // As it is now: the clock may have been set during the try, and its next time with it.
        change(schedule.record.name) { current in
            current.putOff(at: now())
            if isInTime, current.isSame(as: schedule) { current.triedTime = due }
        }
    }

    /// Stops a schedule that cannot be read; the next start may be able to read it.
    private func forget(_ name: String) {
        change(name) { $0.record.nextRunAt = nil }
    }

    /// Creates the task of a time, or records why there is none.
    ///
    /// - Returns: False if the time has to be tried again: the task is rejected, and the schedule is about to be
    ///   replaced.
    private func run(_ schedule: Schedule, time: Timestamp, next: Timestamp?) async throws(TaskStoreError) -> Bool {
        let passed = schedule.passed(to: next)
        let task: TaskRecord
        do throws(TaskRejection) {
            task = try await makeTask(of: schedule)
        } catch {
            // The sessions are those of the new configuration already. Its schedules are stored in the turns of their
            // names, so that this cannot have ended since the task was rejected.
            if schedule.record.origin == .configuration, state.withLock({ $0.isConfiguring }) { return false }
            try await fail(schedule, reason: error.reason, storing: passed)
            return true
        }
        _ = try await put(passed, after: schedule, making: task, at: time)
        return true
    }

    /// Records that a time created no task, with the reason.
    private func fail(
        _ schedule: Schedule, reason: String, storing passed: ScheduleRecord
    ) async throws(TaskStoreError) {
        let kept = try await put(passed, after: schedule) { current in
            current.failure = Schedule.Failure(at: now(), message: reason)
        }
        guard kept != nil else { return }
        // Logged once for each reason, as it may recur every minute.
        if schedule.failure?.message != reason { log(reason, of: schedule.record) }
    }

    private func log(_ reason: String, of record: ScheduleRecord) {
        logger.error(
            "A schedule created no task",
            metadata: ["schedule": "\(record.name)", "session": "\(record.session)", "reason": "\(reason)"])
    }

    // MARK: Tasks

    /// Creates the task that a schedule requests now, checked by the current configuration.
    ///
    /// - Parameter trace: The trace that the task continues; `nil` at a time of the schedule.
    func makeTask(of schedule: Schedule, in trace: TraceContext? = nil) async throws(TaskRejection) -> TaskRecord {
        let decoder = decoder(for: .anonymous)
        let definition: ScheduleDefinition
        switch schedule.definition {
        case .success(let known): definition = known
        case .failure(let fault): throw TaskRejection(fault)
        }
        do throws(TaskRejection) {
            let accepted = try await decoder.tasks.decode(definition.task, as: .schedule)
            guard !context.sessions.controlState(of: accepted.session).isClosed else {
                throw TaskRejection.invalid([
                    JSONProblem(
                        JSONPointer(["session"]),
                        """
                        the session was closed by an operator; POST /v1/sessions/\(accepted.session)/invalidate with \
                        {"reset": true} opens it again
                        """)
                ])
            }
            let hidden = HiddenValues(of: definition.task, missingIn: schedule.shownTask)
            let reading = context.wall.reading
            return accepted.hiding(hidden).record(
                id: context.ids.next(), at: reading.time, clockOffset: reading.offset,
                origin: AcceptedTask.Origin(schedule: schedule.record.name, trace: trace))
        } catch {
            guard case .invalid(let problems) = error else { throw error }
            throw .invalid(problems.map { JSONProblem(JSONPointer(["task"] + $0.pointer.tokens), $0.detail) })
        }
    }

    /// Returns a decoder for the schedules of a caller.
    package func decoder(for caller: Caller) -> ScheduleDecoder {
        ScheduleDecoder(
            tasks: TaskDecoder(
                sessions: context.sessions, caller: caller, maxDepth: state.withLock { $0.maxDepth }, now: now))
    }

    // MARK: The store

    /// Stores a schedule with a task that it creates, and starts the task.
    ///
    /// - Parameters:
    ///   - former: The schedule from which the record was made, as it was before the next time was computed; `nil` if
    ///     there was none.
    ///   - time: The time that the task counts for.
    ///   - update: Changes what is not stored of the schedule, before it is kept.
    /// - Returns: The schedule as it is kept; `nil` if the stored schedule was changed concurrently: it is kept, and
    ///   nothing was stored.
    func put(
        _ record: ScheduleRecord, after former: Schedule?, making task: TaskRecord? = nil, at time: Timestamp? = nil,
        updating update: (inout Schedule) -> Void = { _ in }
    ) async throws(TaskStoreError) -> Schedule? {
        var record = record
        if let task {
            record.lastTask = task.id
            record.lastRunAt = time
        }
        guard try await write(record, after: former, with: task) else {
            try await read(record.name, after: former)
            return nil
        }
        var schedule = Schedule(record)
        schedule.failure = task == nil ? former?.failure : nil
        update(&schedule)
        schedule = keep(schedule, after: former)
        if let task { dispatcher.finishStoring(task) }
        return schedule
    }

    /// Writes a schedule with a task that it creates.
    ///
    /// - Returns: False if the stored schedule was changed concurrently: nothing was stored.
    private func write(
        _ record: ScheduleRecord, after former: Schedule?, with task: TaskRecord?
    ) async throws(TaskStoreError) -> Bool {
        let revision = former?.record.revision
        guard let task else { return try await context.store.put(record, expecting: revision, inserting: nil) }
        return try await dispatcher.storing(task) { () async throws(TaskStoreError) in
            try await context.store.put(record, expecting: revision, inserting: task)
        }
    }

    /// Reads a schedule that another process has changed.
    private func read(_ name: String, after former: Schedule?) async throws(TaskStoreError) {
        guard let stored = try await context.store.schedules().first(where: { $0.name == name }) else {
            return drop(name)
        }
        keep(Schedule(stored), after: former)
    }
}

extension TaskRejection {
    /// Creates the rejection of an operation on a schedule that cannot be read.
    init(_ fault: ScheduleFault) {
        self = .invalid([JSONProblem(JSONPointer(), fault.message)])
    }
}
