import ErrandLocking
import ErrandTaskStore
import ErrandTime
import Logging

/// Delivers a step to each task at a moment of one kind: when it becomes due, or when its deadline passes.
///
/// It has one alarm, set to the earliest known moment, and reads the tasks whose moments have come from the store, page
/// by page (``DueProgress``): tasks that wait cost no memory. Any thread.
final class DueAlarm: Sendable {
    /// The number of tasks that are handled together.
    private static let step = 500
    /// The number of tasks that may fail in a ring, which ends with them.
    private static let mostFailures = 4 * step
    /// The pause of the alarm after tasks could not be handled.
    private static let pause = Duration.seconds(1)
    /// The longest sleep of the alarm before it reads the clock again, which may have been set.
    private static let longestSleep = Duration.seconds(60)

    private let kind: Kind
    private let context: TaskContext
    private let state = Mutex(State())

    private struct State {
        /// Fires at the next moment; `nil` unless tasks are started.
        var alarm: Alarm<Timestamp>?
        var progress = DueProgress()
    }

    /// A kind of moment that tasks wait for.
    enum Kind: Sendable {
        /// The deadlines, also of tasks with an attempt under way.
        case deadlines
        /// The ends of delays and pauses.
        case dueTimes
    }

    /// Creates an alarm that does nothing until it is started.
    init(_ kind: Kind, _ context: TaskContext) {
        self.kind = kind
        self.context = context
    }

    /// Starts the alarm; tasks whose moments came in the meantime are handled first.
    ///
    /// - Parameter steps: Delivers the steps; held weakly.
    func start(_ steps: any StepDelivery) {
        let alarm = Alarm<Timestamp>(
            clock: context.monotonic.clock, longestSleep: Self.longestSleep,
            remaining: { [now = context.now] in $0.duration(since: now()) },
            ring: { [weak self, weak steps] in
                guard let self, let steps else { return nil }
                return await ring(steps)
            })
        state.withLock { $0.alarm = alarm }
        alarm.set(to: context.now())
    }

    /// Stops the alarm; returns when the running action has ended.
    func stop() async {
        let alarm = state.withLock { state in
            defer { state.alarm = nil }
            return state.alarm
        }
        await alarm?.stop()
    }

    /// Sets the alarm to the moment of a task that was stored, or whose change was.
    func watch(_ record: TaskRecord) {
        let moment = kind.moment(of: record)
        let alarm = state.withLock { state in
            state.progress.note(record.id, at: moment)
            return state.alarm
        }
        if let moment { alarm?.set(to: moment) }
    }

    /// Forgets a task that was removed.
    func forget(_ id: TaskID) {
        state.withLock { $0.progress.forget(id) }
    }

    /// Looks for tasks whose moments have come now, as the clock was set, or their moments were moved after that.
    func check() {
        state.withLock { $0.alarm }?.set(to: .earliest)
    }

    // MARK: Rings

    /// Handles the tasks whose moments have come.
    ///
    /// Those that cannot be handled now do not stop the others, and are handled again after a pause.
    ///
    /// - Returns: The moment of the next check; `nil` if there is none.
    private func ring(_ steps: any StepDelivery) async -> Timestamp? {
        do throws(TaskStoreError) {
            let failures = try await handle(steps)
            guard let (id, error) = failures.first else { return try await nextMoment(steps) }
            context.logger.error(
                "Due tasks could not be handled",
                metadata: [
                    "tasks": .stringConvertible(failures.count), "task": "\(id)", "error": "\(error)",
                ])
        } catch {
            guard error.code != .closed else { return nil }
            context.logger.error("Due tasks could not be handled", metadata: ["error": "\(error)"])
        }
        return context.now().adding(Self.pause)
    }

    /// Delivers the step to all tasks whose moments have come, page by page.
    ///
    /// - Returns: The tasks that failed, with the reasons.
    private func handle(_ steps: any StepDelivery) async throws(TaskStoreError) -> [TaskID: TaskStoreError] {
        let moment = context.now()
        var rest = ArraySlice(state.withLock { $0.progress.begin(at: moment) })
        defer { state.withLock { $0.progress.end() } }
        var failures: [TaskID: TaskStoreError] = [:]
        while isActive(steps), !rest.isEmpty {
            let page = Array(rest.prefix(Self.step))
            rest = rest.dropFirst(Self.step)
            state.withLock { $0.progress.repeatStep(for: page) }
            let troubles = try await deliver(to: page, steps)
            failures.merge(troubles) { $1 }
        }
        while isActive(steps), failures.count < Self.mostFailures {
            // The clock may have been set back since: tasks that are no longer due must not be passed.
            let now = min(moment, context.now())
            let last = state.withLock { $0.progress.passed }
            let page = try await kind.tasks(in: context.store, until: now, after: last, limit: Self.step)
            guard let end = page.last else { break }
            state.withLock { $0.progress.pass(end) }
            let troubles = try await deliver(to: page, steps)
            failures.merge(troubles) { $1 }
        }
        return failures
    }

    /// Delivers the step to tasks that were passed.
    ///
    /// - Returns: The tasks that failed, with the reasons; they are handled again.
    private func deliver(
        to page: [TaskMoment], _ steps: any StepDelivery
    ) async throws(TaskStoreError) -> [TaskID: TaskStoreError] {
        let outcome = await steps.deliver(kind.step, to: page.map(\.id))
        if let failure = outcome.failure, failure.code == .closed { throw failure }
        // The step comes too early if the clock was set back a little after the page was read.
        let now = context.now()
        let repeated = page.filter { task in
            outcome.failures[task.id] != nil || task.moment > now && outcome.isWithoutEffect(on: task.id)
        }
        if !repeated.isEmpty { state.withLock { $0.progress.fail(repeated) } }
        return outcome.failures
    }

    /// Returns the next moment of a task that was not passed, or that gets the step again.
    private func nextMoment(_ steps: any StepDelivery) async throws(TaskStoreError) -> Timestamp? {
        guard isActive(steps) else { return nil }
        let (last, again) = state.withLock { ($0.progress.passed, $0.progress.nextAgain) }
        let next = try await kind.tasks(in: context.store, until: .latest, after: last, limit: 1).first
        return [next?.moment, again].compactMap(\.self).min()
    }

    /// Returns true if steps are delivered now.
    private func isActive(_ steps: any StepDelivery) -> Bool {
        switch kind {
        // Attempts under way go on while the gateway stops. Deadlines are times of day, which are not moved.
        case .deadlines: !context.isAbandoned
        // While they are being moved, they may seem to have passed: ``check()`` follows when they are moved.
        case .dueTimes: steps.isOpen && !context.wall.isSettling
        }
    }
}

extension DueAlarm.Kind {
    /// The step of a task whose moment has come.
    fileprivate var step: TaskStep {
        switch self {
        case .deadlines: .deadlinePassed
        case .dueTimes: .timeCame
        }
    }

    /// Returns the moment of a task; `nil` if it waits for none.
    fileprivate func moment(of record: TaskRecord) -> Timestamp? {
        switch self {
        case .deadlines: record.state.isTerminal || record.state == .canceling ? nil : record.deadline
        case .dueTimes: record.dueAt
        }
    }

    /// Reads a page of the tasks whose moments are not later than a time, earliest first.
    fileprivate func tasks(
        in store: any TaskStore, until moment: Timestamp, after last: TaskMoment?, limit: Int
    ) async throws(TaskStoreError) -> [TaskMoment] {
        switch self {
        case .deadlines: try await store.overdue(at: moment, after: last, limit: limit)
        case .dueTimes: try await store.due(at: moment, after: last, limit: limit)
        }
    }
}

extension StepDeliveries {
    /// Returns true if a task was read, and the step did not change it.
    fileprivate func isWithoutEffect(on id: TaskID) -> Bool {
        !changed.contains(id) && !unreadable.contains(id) && failures[id] == nil
    }
}
