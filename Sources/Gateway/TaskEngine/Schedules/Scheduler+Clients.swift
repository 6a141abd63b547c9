import ErrandLocking
package import ErrandTaskStore

/// Operations that clients request on schedules.
///
/// An operation that has begun is completed, even if no caller waits for it.
extension Scheduler {
    /// The outcome of a request to create or replace a schedule.
    package enum PutOutcome: Sendable {
        /// The schedule was created.
        case created(Schedule)
        /// The schedule replaced another.
        case replaced(Schedule)
        /// A schedule with the name exists.
        case exists
        /// The schedule with the name belongs to the configuration.
        case configured
        /// The client's precondition is not met.
        case preconditionFailed
        /// The number of schedules has reached its limit.
        case tooMany
        /// The size of all schedules would exceed its limit.
        case tooLarge
    }

    /// A client's precondition, evaluated with the current schedule or `nil`.
    package typealias Condition = @Sendable (ScheduleRecord?) -> Bool

    /// Creates or replaces a schedule.
    ///
    /// - Parameters:
    ///   - caller: The caller; a schedule that the caller must not see is not replaced.
    ///   - replaces: True if an existing schedule may be replaced.
    ///   - condition: The client's precondition.
    package func put(
        _ accepted: AcceptedSchedule, by caller: Caller, replaces: Bool, if condition: @escaping Condition
    ) async throws(TaskStoreError) -> PutOutcome {
        try await serialQueue.run(key: accepted.name) { [self] () async throws(TaskStoreError) in
            let former = self[accepted.name]
            if let former {
                guard replaces, caller.sees(session: former.record.session) else { return .exists }
                guard former.record.origin == .api else { return .configured }
            }
            guard condition(former?.record) else { return .preconditionFailed }
            let document = accepted.definition.document
            switch reserve(accepted.name, bytes: document.count) {
            case .reserved: break
            case .tooMany: return .tooMany
            case .tooLarge: return .tooLarge
            }
            defer { release(accepted.name) }
            let moment = now()
            let timing = accepted.definition.timing
            let record =
                former.map { former in
                    former.changed(at: moment) { record in
                        record.definition = document
                        record.session = accepted.definition.session
                        record.nextRunAt = former.nextRunAt(under: timing, at: moment)
                    }
                }
                ?? ScheduleRecord(
                    name: accepted.name, origin: .api, definition: document,
                    session: accepted.definition.session, createdAt: moment, nextRunAt: timing.next(after: moment))
            // The failure was the previous schedule's.
            guard let schedule = try await put(record, after: former, updating: { $0.failure = nil }) else {
                return .preconditionFailed
            }
            return former == nil ? .created(schedule) : .replaced(schedule)
        }
    }

    /// The outcome of an operation on an existing schedule.
    package enum ChangeOutcome: Sendable {
        /// The schedule was changed, or is in the requested state already.
        case done(Schedule)
        /// The schedule does not exist.
        case notFound
        /// The schedule belongs to the configuration.
        case configured
        /// The client's precondition is not met.
        case preconditionFailed
        /// The schedule created this task.
        case ran(TaskRecord)
        /// The current configuration does not allow its task.
        case rejected(TaskRejection)
        /// An operator has closed the session of its tasks.
        case sessionClosed(String)
        /// The gateway is stopping and creates no more tasks.
        case stopping
    }

    /// Returns the schedule with a name if the caller may see it.
    ///
    /// Looked up under the name's turn, as another schedule may have replaced it since the request was admitted.
    private func visible(_ name: String, to caller: Caller) -> Schedule? {
        self[name].flatMap { caller.sees(session: $0.record.session) ? $0 : nil }
    }

    /// Removes a schedule; its tasks stay.
    package func remove(
        _ name: String, by caller: Caller, if condition: @escaping Condition
    ) async throws(TaskStoreError) -> ChangeOutcome {
        try await serialQueue.run(key: name) { [self] () async throws(TaskStoreError) in
            guard let schedule = visible(name, to: caller) else { return .notFound }
            guard schedule.record.origin == .api else { return .configured }
            guard condition(schedule.record) else { return .preconditionFailed }
            guard try await context.store.removeSchedule(name) else {
                drop(name)
                return .notFound
            }
            drop(name)
            return .done(schedule)
        }
    }

    /// Suspends or resumes a schedule; times that pass while it is suspended do not count as missed.
    ///
    /// - Parameter condition: The client's precondition.
    package func setSuspended(
        _ isSuspended: Bool, _ name: String, by caller: Caller, if condition: @escaping Condition
    ) async throws(TaskStoreError) -> ChangeOutcome {
        try await serialQueue.run(key: name) { [self] () async throws(TaskStoreError) in
            guard let schedule = visible(name, to: caller) else { return .notFound }
            guard condition(schedule.record) else { return .preconditionFailed }
            guard schedule.record.isSuspended != isSuspended else { return .done(schedule) }
            // A schedule that cannot be read is not changed: its stored document may be readable with another key.
            let definition: ScheduleDefinition
            switch schedule.definition {
            case .success(let known): definition = known
            case .failure(let fault): return .rejected(TaskRejection(fault))
            }
            let moment = now()
            let record = schedule.changed(at: moment) { record in
                record.isSuspended = isSuspended
                // After a setback of the clock, no time counts before that of the last task.
                record.nextRunAt =
                    isSuspended ? nil : definition.timing.resumed(nil, last: record.lastRunAt, at: moment)
            }
            guard let changed = try await put(record, after: schedule) else {
                return visible(name, to: caller) == nil ? .notFound : .preconditionFailed
            }
            return .done(changed)
        }
    }

    /// Creates a task of a schedule now, even if the schedule is suspended.
    ///
    /// - Parameters:
    ///   - condition: The client's precondition.
    ///   - trace: The trace that the task continues.
    package func runNow(
        _ name: String, by caller: Caller, if condition: @escaping Condition, in trace: TraceContext? = nil
    ) async throws(TaskStoreError) -> ChangeOutcome {
        try await serialQueue.run(key: name) { [self] () async throws(TaskStoreError) in
            guard let schedule = visible(name, to: caller) else { return .notFound }
            guard condition(schedule.record) else { return .preconditionFailed }
            guard !dispatcher.isStopping else { return .stopping }
            let session = schedule.record.session
            guard !context.sessions.controlState(of: session).isClosed else { return .sessionClosed(session) }
            let task: TaskRecord
            do throws(TaskRejection) {
                task = try await makeTask(of: schedule, in: trace)
            } catch {
                return .rejected(error)
            }
            var record = schedule.record
            record.revision += 1
            guard try await put(record, after: schedule, making: task, at: task.createdAt) != nil else {
                return visible(name, to: caller) == nil ? .notFound : .preconditionFailed
            }
            return .ran(task)
        }
    }
}
