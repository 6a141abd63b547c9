/// A schedule as it is stored: what makes tasks again and again.
package struct ScheduleRecord: Sendable, Hashable {
    /// The name, which is the schedule's own.
    package var name: String
    /// Who says what it is.
    package var origin: Origin
    /// What it is (a JSON object: `cron`, `time_zone`, `missed`, `task`); may hold secrets.
    package var definition: [UInt8]
    /// The session of its tasks.
    package var session: String
    /// It makes no tasks until it is resumed.
    package var isSuspended: Bool
    /// When it was made.
    package var createdAt: Timestamp
    /// When anything of it but its runs changed last.
    package var updatedAt: Timestamp
    /// When it makes its next task; `nil` when there is no such time, or it is suspended.
    package var nextRunAt: Timestamp?
    /// When it made its last task, by its own time; `nil` before the first.
    package var lastRunAt: Timestamp?
    /// The task that it made last.
    package var lastTask: TaskID?
    /// Counts stored changes, runs included, from 1.
    package var revision: Int64

    /// Who says what a schedule is.
    package enum Origin: String, Sendable, Hashable, CaseIterable {
        /// A client: he may change it.
        case api
        /// The configuration: it is changed there.
        case configuration
    }

    /// Creates a schedule that has not run.
    package init(
        name: String, origin: Origin, definition: [UInt8], session: String, createdAt: Timestamp,
        nextRunAt: Timestamp?
    ) {
        self.name = name
        self.origin = origin
        self.definition = definition
        self.session = session
        isSuspended = false
        self.createdAt = createdAt
        updatedAt = createdAt
        self.nextRunAt = nextRunAt
        revision = 1
    }
}

/// Where schedules are kept.
package protocol ScheduleStore: Sendable {
    /// Reads all schedules, by name.
    func schedules() async throws(TaskStoreError) -> [ScheduleRecord]

    /// Writes a schedule, with a task that it makes or without, both or neither.
    ///
    /// - Parameters:
    ///   - schedule: The schedule as it shall be.
    ///   - expected: The revision that the caller has seen; `nil`: there shall be none of its name.
    ///   - task: The task of this run.
    /// - Returns: `false`, and nothing written, when the schedule is another.
    func put(
        _ schedule: ScheduleRecord, expecting expected: Int64?, inserting task: TaskRecord?
    ) async throws(TaskStoreError) -> Bool

    /// Removes a schedule; its tasks stay.
    ///
    /// - Returns: `false` when there was none.
    func removeSchedule(_ name: String) async throws(TaskStoreError) -> Bool
}
