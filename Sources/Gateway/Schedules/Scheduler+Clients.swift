import TaskStore

/// What clients do to schedules.
///
/// What has begun is done to its end, whether or not anybody waits for it.
extension Scheduler {
    /// What became of a schedule that a client wants.
    enum PutAnswer: Sendable {
        /// There is a new one.
        case created(Schedule)
        /// It has taken the place of another.
        case replaced(Schedule)
        /// There is one of the name.
        case exists
        /// The one of that name is the configuration's.
        case configured
        /// It is not the one that the client has seen, or there is none.
        case preconditionFailed
        /// There are as many as there may be.
        case tooMany
    }

    /// What a client knows of the schedule that he wants to change.
    typealias Condition = @Sendable (ScheduleRecord?) -> Bool

    /// Makes a schedule, or puts another in its place.
    ///
    /// - Parameters:
    ///   - caller: Who wants it: a schedule that he must not see is not replaced.
    ///   - replaces: Whether there may be one of that name.
    ///   - condition: Whether the one that there is, is the one that the client means.
    func put(
        _ accepted: AcceptedSchedule, by caller: Caller, replaces: Bool, if condition: @escaping Condition
    ) async throws(TaskStoreError) -> PutAnswer {
        try await turns.take(accepted.name) { [self] () async throws(TaskStoreError) in
            let former = self[accepted.name]
            if let former {
                guard replaces, caller.sees(session: former.record.session) else { return .exists }
                guard former.record.origin == .api else { return .configured }
            }
            guard condition(former?.record) else { return .preconditionFailed }
            guard former != nil || count < Self.limit else { return .tooMany }
            let moment = now()
            let next = accepted.definition.timing.next(after: moment)
            let record =
                former?.changed(at: moment) { record in
                    record.definition = accepted.definition.document
                    record.session = accepted.definition.session
                    record.nextRunAt = record.isSuspended ? nil : next
                }
                ?? ScheduleRecord(
                    name: accepted.name, origin: .api, definition: accepted.definition.document,
                    session: accepted.definition.session, createdAt: moment, nextRunAt: next)
            guard var schedule = try await put(record, after: former) else { return .preconditionFailed }
            // Of the one before.
            schedule.failure = nil
            keep(accepted.name, schedule)
            return former == nil ? .created(schedule) : .replaced(schedule)
        }
    }

    /// What became of a wish about a schedule that there is.
    enum ChangeAnswer: Sendable {
        /// It is so now.
        case done(Schedule)
        /// There is none any more.
        case notFound
        /// It is the configuration's.
        case configured
        /// It is not the one that the client has seen.
        case preconditionFailed
        /// It made this task.
        case ran(TaskRecord)
        /// The configuration in force does not allow its task.
        case rejected(TaskRejection)
    }

    /// The schedule of a name when the caller may know of it.
    ///
    /// It is looked for when its turn has come: since the request was let in another may have taken its place.
    private func visible(_ name: String, to caller: Caller) -> Schedule? {
        self[name].flatMap { caller.sees(session: $0.record.session) ? $0 : nil }
    }

    /// Removes a schedule; its tasks stay.
    func remove(
        _ name: String, by caller: Caller, if condition: @escaping Condition
    ) async throws(TaskStoreError) -> ChangeAnswer {
        try await turns.take(name) { [self] () async throws(TaskStoreError) in
            guard let schedule = visible(name, to: caller) else { return .notFound }
            guard schedule.record.origin == .api else { return .configured }
            guard condition(schedule.record) else { return .preconditionFailed }
            guard try await store.removeSchedule(name) else {
                keep(name, nil)
                return .notFound
            }
            keep(name, nil)
            return .done(schedule)
        }
    }

    /// Has a schedule make no tasks until it is resumed; times that pass meanwhile are not missed, they are none.
    func setSuspended(
        _ isSuspended: Bool, _ name: String, by caller: Caller
    ) async throws(TaskStoreError) -> ChangeAnswer {
        try await turns.take(name) { [self] () async throws(TaskStoreError) in
            guard let schedule = visible(name, to: caller) else { return .notFound }
            guard schedule.record.isSuspended != isSuspended else { return .done(schedule) }
            // One that cannot be read is not written either: what is stored may be read again with another key.
            let definition: ScheduleDefinition
            switch schedule.definition {
            case .success(let known): definition = known
            case .failure(let fault): return .rejected(TaskRejection(fault))
            }
            let moment = now()
            let record = schedule.changed(at: moment) { record in
                record.isSuspended = isSuspended
                record.nextRunAt = isSuspended ? nil : definition.timing.next(after: moment)
            }
            guard let changed = try await put(record, after: schedule) else {
                return visible(name, to: caller) == nil ? .notFound : .preconditionFailed
            }
            return .done(changed)
        }
    }

    /// Has a schedule make a task now, whatever its times; also one that is suspended.
    func runNow(_ name: String, by caller: Caller) async throws(TaskStoreError) -> ChangeAnswer {
        try await turns.take(name) { [self] () async throws(TaskStoreError) in
            guard let schedule = visible(name, to: caller) else { return .notFound }
            let task: TaskRecord
            do throws(TaskRejection) {
                task = try await makeTask(of: schedule)
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
