package import ErrandTime

/// A schedule as it is stored, which creates tasks repeatedly.
package struct ScheduleRecord: Sendable, Hashable {
    /// The unique name.
    package var name: String
    /// The origin of the definition.
    package var origin: Origin
    /// The definition (a JSON object: `cron`, `time_zone`, `missed`, `task`), which may contain secrets.
    package var definition: [UInt8]
    /// The session of its tasks.
    package var session: String
    /// True if the schedule creates no tasks until it is resumed.
    package var isSuspended: Bool
    /// The time of its creation.
    package var createdAt: Timestamp
    /// The time of its last change, not counting runs.
    package var updatedAt: Timestamp
    /// The time of its next task; `nil` if there is none, or if it is suspended.
    package var nextRunAt: Timestamp?
    /// The scheduled time of its last task; `nil` before the first.
    package var lastRunAt: Timestamp?
    /// The last task that it created.
    package var lastTask: TaskID?
    /// The number of stored changes, including runs, from 1.
    package var revision: Int64

    /// The origin of a schedule's definition.
    package enum Origin: String, Sendable, Hashable, CaseIterable {
        /// A client defined the schedule through the API, and may change it.
        case api
        /// The configuration defines the schedule, which can only be changed there.
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
