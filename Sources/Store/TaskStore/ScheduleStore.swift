/// A store for schedules.
package protocol ScheduleStore: Sendable {
    /// Reads all schedules, sorted by name.
    ///
    /// If a definition cannot be read, it is a JSON object with the reason: `{"unreadable": "…"}`.
    func schedules() async throws(TaskStoreError) -> [ScheduleRecord]

    /// Writes a schedule and optionally a task of one run, both or neither.
    ///
    /// - Parameters:
    ///   - schedule: The new schedule.
    ///   - expected: The revision known to the caller; `nil` if the name must not exist yet.
    ///   - task: The task of this run.
    /// - Returns: `false` if the stored schedule has another revision; nothing is written then.
    func put(
        _ schedule: ScheduleRecord, expecting expected: Int64?, inserting task: TaskRecord?
    ) async throws(TaskStoreError) -> Bool

    /// Removes a schedule but not its tasks.
    ///
    /// - Returns: `false` if there was none.
    func removeSchedule(_ name: String) async throws(TaskStoreError) -> Bool
}
