import JSON
import Locking
import Logging
import TaskStore

/// Makes the tasks of schedules when their times come.
///
/// A task and that its time is over are stored in one transaction: whatever happens between, none is made twice, none is
/// lost. All schedules are in memory; those that change take turns by their names. Any thread.
final class Scheduler: Sendable {
    let store: any TaskStore
    let dispatcher: Dispatcher
    let ids: TaskIDGenerator
    let now: @Sendable () -> Timestamp
    let logger: Logger
    let turns = Turns()
    private let state = Mutex(State())
    private let alarm = Mutex<Alarm<Timestamp>?>(nil)
    private let clock: any Clock<Duration>

    private struct State {
        var schedules: [String: Schedule] = [:]
        /// How deep the documents of tasks may nest.
        var maxDepth = RequestLimits().maxDepth
    }

    /// The most schedules that there may be by the API.
    static let limit = 10_000
    /// After how long a schedule is looked at again whose task could not be stored.
    private static let pause = Duration.seconds(1)
    /// How long a change of the system's clock may go unseen.
    private static let longestSleep = Duration.seconds(30)

    /// Creates a scheduler that makes nothing before it is opened.
    ///
    /// - Parameters:
    ///   - clock: Lets time pass.
    ///   - now: The time of day, which schedules go by.
    init(
        dispatcher: Dispatcher, ids: TaskIDGenerator, clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) {
        store = dispatcher.store
        self.dispatcher = dispatcher
        self.ids = ids
        self.clock = clock
        self.now = now
        self.logger = logger
    }

    // MARK: What there is

    /// All schedules, by name.
    var all: [Schedule] {
        state.withLock { Array($0.schedules.values) }.sorted { $0.record.name < $1.record.name }
    }

    /// The schedule of a name.
    subscript(name: String) -> Schedule? {
        state.withLock { $0.schedules[name] }
    }

    /// How many there are.
    var count: Int { state.withLock { $0.schedules.count } }

    /// Takes in a schedule as it is stored now; `nil` for one that is gone.
    func keep(_ name: String, _ schedule: Schedule?) {
        state.withLock { $0.schedules[name] = schedule }
        if let next = schedule?.wakesAt { alarm.withLock { $0 }?.set(to: next) }
    }

    // MARK: Life

    /// Takes up the schedules that are stored.
    func load() async throws(TaskStoreError) {
        let schedules = try await store.schedules().map { Schedule($0) }
        state.withLock { state in
            for schedule in schedules { state.schedules[schedule.record.name] = schedule }
        }
        for schedule in schedules {
            if case .failure(let fault) = schedule.definition { log(fault.message, of: schedule.record) }
        }
    }

    /// Makes tasks from now on; times that have passed since the last process are missed ones.
    func open() {
        let moment = now()
        state.withLock { state in
            for (name, schedule) in state.schedules where !schedule.record.isSuspended {
                guard let timing = schedule.timing else { continue }
                // Stored with the next change: until then it is found again by each start.
                state.schedules[name]?.record.nextRunAt = timing.resumed(
                    schedule.record.nextRunAt, last: schedule.record.lastRunAt, at: moment)
            }
        }
        let alarm = Alarm<Timestamp>(clock: clock, longestSleep: Self.longestSleep) { [now] moment in
            moment.duration(since: now())
        } ring: { [weak self] in
            await self?.makeDueTasks()
        }
        self.alarm.withLock { $0 = alarm }
        if let next = nextMoment { alarm.set(to: next) }
    }

    /// Ends it, after what it has begun.
    func close() async {
        let alarm = alarm.withLock { alarm in
            defer { alarm = nil }
            return alarm
        }
        await alarm?.stop()
    }

    /// Sets what documents may be from now on.
    func configure(maxDepth: Int) {
        state.withLock { $0.maxDepth = maxDepth }
    }

    // MARK: Times

    private var nextMoment: Timestamp? {
        state.withLock { $0.schedules.values.compactMap(\.wakesAt).min() }
    }

    /// Does what is due; returns when something is next.
    private func makeDueTasks() async -> Timestamp? {
        let moment = now()
        let due = state.withLock { state in
            state.schedules.values.filter { schedule in schedule.wakesAt.map { $0 <= moment } ?? false }
        }
        // Together, so that many of one minute share the store's commits.
        await withTaskGroup { group in
            for schedule in due {
                let name = schedule.record.name
                group.addTask {
                    await self.turns.take(name) { await self.step(name) }
                }
            }
        }
        return nextMoment
    }

    /// Does what is due of a schedule, if it still is.
    private func step(_ name: String) async {
        guard let schedule = self[name], let due = schedule.record.nextRunAt else { return }
        guard let timing = schedule.timing else { return forget(schedule) }
        let moment = now()
        do throws(TaskStoreError) {
            switch timing.step(due: due, at: moment) {
            case .wait:
                break
            case .skip(let next):
                logger.notice(
                    "Times of a schedule were missed and are left out",
                    metadata: ["schedule": "\(name)", "since": "\(due)"])
                _ = try await put(schedule.passed(to: next), after: schedule)
            case .run(let time, let next):
                try await run(schedule, time: time, next: next)
            }
        } catch {
            logger.error(
                "The task of a schedule could not be stored; trying again",
                metadata: ["schedule": "\(name)", "error": "\(error.debugDescription)"])
            var schedule = schedule
            schedule.retryAt = moment.adding(Self.pause)
            keep(name, schedule)
        }
    }

    /// A schedule that cannot be read makes nothing: with the next start it may.
    private func forget(_ schedule: Schedule) {
        var schedule = schedule
        schedule.record.nextRunAt = nil
        keep(schedule.record.name, schedule)
    }

    private func run(_ schedule: Schedule, time: Timestamp, next: Timestamp?) async throws(TaskStoreError) {
        let passed = schedule.passed(to: next)
        let task: TaskRecord
        do throws(TaskRejection) {
            task = try await makeTask(of: schedule)
        } catch {
            try await fail(schedule, error.reason, passed)
            return
        }
        _ = try await put(passed, after: schedule, making: task, at: time)
    }

    /// A time comes to nothing: it is over, and the schedule says why.
    private func fail(
        _ schedule: Schedule, _ reason: String, _ passed: ScheduleRecord
    ) async throws(TaskStoreError) {
        guard var current = try await put(passed, after: schedule) else { return }
        current.failure = Schedule.Failure(at: now(), message: reason)
        // Once for each reason: it may come every minute.
        if schedule.failure?.message != reason { log(reason, of: schedule.record) }
        keep(schedule.record.name, current)
    }

    private func log(_ reason: String, of record: ScheduleRecord) {
        logger.error(
            "A schedule makes no tasks",
            metadata: ["schedule": "\(record.name)", "session": "\(record.session)", "reason": "\(reason)"])
    }

    // MARK: Tasks

    /// The task that a schedule makes now, judged by the configuration in force.
    func makeTask(of schedule: Schedule) async throws(TaskRejection) -> TaskRecord {
        let decoder = decoder(for: .anonymous)
        let definition: ScheduleDefinition
        switch schedule.definition {
        case .success(let known): definition = known
        case .failure(let fault): throw TaskRejection(fault)
        }
        do throws(TaskRejection) {
            let accepted = try await decoder.tasks.decode(definition.task, as: .schedule)
            guard !dispatcher.sessions.mark(of: accepted.session).isClosed else {
                throw TaskRejection.invalid([
                    JSONProblem(JSONPointer(["session"]), "the session was closed by an operator")
                ])
            }
            return accepted.record(id: ids.next(), origin: AcceptedTask.Origin(schedule: schedule.record.name))
        } catch {
            guard case .invalid(let problems) = error else { throw error }
            throw .invalid(problems.map { JSONProblem(JSONPointer(["task"] + $0.pointer.tokens), $0.detail) })
        }
    }

    /// What judges the schedules of somebody.
    func decoder(for caller: Caller) -> ScheduleDecoder {
        ScheduleDecoder(
            tasks: TaskDecoder(
                sessions: dispatcher.sessions, caller: caller, maxDepth: state.withLock { $0.maxDepth }, now: now))
    }

    // MARK: The store

    /// Stores a schedule, with a task that it makes, and has that started.
    ///
    /// - Parameter time: Which time the task counts for.
    /// - Returns: The schedule as it is kept then; `nil` when it has been changed by somebody else, whose schedule is
    ///   kept, and nothing was done.
    func put(
        _ record: ScheduleRecord, after schedule: Schedule?, making task: TaskRecord? = nil, at time: Timestamp? = nil
    ) async throws(TaskStoreError) -> Schedule? {
        var record = record
        if let task {
            record.lastTask = task.id
            record.lastRunAt = time
        }
        guard try await store.put(record, expecting: schedule?.record.revision, inserting: task) else {
            let stored = try await store.schedules().first { $0.name == record.name }
            keep(record.name, stored.map { Schedule($0) })
            return nil
        }
        var kept = Schedule(record)
        kept.shownTask = schedule?.shownTask
        kept.failure = task == nil ? schedule?.failure : nil
        keep(record.name, kept)
        if let task { dispatcher.taskWasStored(task) }
        return kept
    }
}

extension Schedule {
    /// The record after a time of it.
    fileprivate func passed(to next: Timestamp?) -> ScheduleRecord {
        var record = record
        record.nextRunAt = next
        record.revision += 1
        return record
    }
}

extension TaskRejection {
    /// Creates the rejection of whatever is to be done with a schedule that cannot be read.
    init(_ fault: ScheduleFault) {
        self = .invalid([JSONProblem(JSONPointer(), fault.message)])
    }

    /// Why there is no task, in one line.
    fileprivate var reason: String {
        switch self {
        case .malformed(let error): error.description
        case .invalid(let problems):
            problems.map { "\($0.pointer): \($0.detail)" }.joined(separator: "; ")
        case .forbidden: "the session is not there"
        }
    }
}
