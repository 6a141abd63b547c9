package import ErrandTaskStore
package import ErrandTime

/// A schedule in memory: the stored record, its definition, and what is not stored.
package struct Schedule: Sendable {
    /// The stored record, whose next time follows changes of the clock (``resume(at:)``).
    package var record: ScheduleRecord
    /// The definition, or the reason why it cannot be read.
    package var definition: Result<ScheduleDefinition, ScheduleFault>
    /// The document of its task without the secrets that only the configuration knows.
    ///
    /// `nil` for a schedule of the API, and for one of a configuration that this process has not read: the store may be
    /// unable to replace the schedules of an earlier process.
    var configuredTask: [UInt8]?
    /// The failure of its last run; not stored, so that it is forgotten when the process ends.
    package var failure: Failure?
    /// The time of the next try, after the store could not write.
    private(set) var retryAt: Timestamp?
    /// The pause before that try; `nil` once the store could write.
    private var pause: Duration?
    /// The time whose task could not be stored although it was not late yet; ``ScheduleTiming/step(due:at:wasTried:)``
    /// does not take it for missed.
    var triedTime: Timestamp?
    /// Counts how often its next time was computed again, so that a write that has begun before notices it.
    var resumptions = 0

    /// A run that created no task.
    package struct Failure: Sendable, Hashable {
        /// The time of the run.
        package var at: Timestamp
        /// A message for people.
        package var message: String

        /// Creates a failure.
        package init(at moment: Timestamp, message: String) {
            at = moment
            self.message = message
        }
    }

    /// Creates a schedule from its stored record.
    init(_ record: ScheduleRecord) {
        self.record = record
        do throws(ScheduleFault) {
            definition = .success(try ScheduleDefinition(stored: record.definition))
        } catch {
            definition = .failure(error)
        }
    }

    private static let emptyTask = Array("{}".utf8)

    /// The document of its task for clients, in which ``ScheduledTaskDocument`` hides what its names show to be secret.
    ///
    /// An empty object if the definition cannot be read, or is of a configuration that this process has not read: it is
    /// unknown then which of its values were inserted by `${…}`.
    package var shownTask: [UInt8] {
        switch (record.origin, definition) {
        case (.api, .success(let definition)): definition.task
        case (.configuration, .success): configuredTask ?? Self.emptyTask
        case (_, .failure): Self.emptyTask
        }
    }

    /// The next time at which the schedule needs attention; `nil` for never.
    var wakesAt: Timestamp? {
        record.nextRunAt.map { next in retryAt.map { max(next, $0) } ?? next }
    }

    /// The times at which it creates tasks; `nil` if the definition cannot be read.
    package var timing: ScheduleTiming? {
        if case .success(let definition) = definition { definition.timing } else { nil }
    }

    /// Returns the next time under a definition that replaces this one; `nil` while the schedule is suspended.
    ///
    /// With the same times, missed times still count. With others, no time before the last task counts, even if the
    /// clock was set back since.
    func nextRunAt(under timing: ScheduleTiming, at moment: Timestamp) -> Timestamp? {
        if let former = self.timing, former.hasSameTimes(as: timing) { return record.nextRunAt }
        return record.isSuspended ? nil : timing.resumed(nil, last: record.lastRunAt, at: moment)
    }

    /// The first and the longest pause before another try; each is twice as long as the one before.
    private static let pauses = (first: Duration.seconds(1), longest: Duration.seconds(30))

    /// Puts off the next time, whose task could not be stored.
    mutating func putOff(at now: Timestamp) {
        let next = pause.map { min($0 * 2, Self.pauses.longest) } ?? Self.pauses.first
        pause = next
        retryAt = now.adding(next)
    }

    /// Returns true if nothing has changed that the next time depends on.
    func isSame(as other: Schedule) -> Bool {
        record.revision == other.record.revision && record.createdAt == other.record.createdAt
            && resumptions == other.resumptions
    }

    /// Computes the next time again, after the clock was set.
    ///
    /// It is stored with the next change; until then each start computes it again.
    mutating func resume(at moment: Timestamp) {
        resumptions += 1
        guard !record.isSuspended, let timing else { return }
        // A time of day after a failure of the store, which may be far away now.
        retryAt = nil
        pause = nil
        triedTime = nil
        record.nextRunAt = timing.resumed(record.nextRunAt, last: record.lastRunAt, at: moment)
    }

    /// Takes from the schedule that it replaces what is not stored and is true of it, too.
    mutating func follow(_ former: Schedule) {
        resumptions = former.resumptions
        // Another task, whose time has not changed, is made for it.
        if record.nextRunAt == former.record.nextRunAt, hasSameTimes(as: former) { triedTime = former.triedTime }
        // Another definition may have secrets in other places.
        guard record.definition == former.record.definition else { return }
        if configuredTask == nil { configuredTask = former.configuredTask }
    }

    /// Returns true if both create tasks at the same times.
    private func hasSameTimes(as other: Schedule) -> Bool {
        guard let timing, let former = other.timing else { return record.definition == other.record.definition }
        return timing.hasSameTimes(as: former)
    }

    /// Returns the record after one of its times has passed.
    func passed(to next: Timestamp?) -> ScheduleRecord {
        var record = record
        record.nextRunAt = next
        record.revision += 1
        return record
    }

    /// Returns the record after a change that is not one of its runs.
    func changed(at now: Timestamp, _ change: (inout ScheduleRecord) -> Void) -> ScheduleRecord {
        var record = record
        change(&record)
        record.updatedAt = now
        record.revision += 1
        return record
    }
}
