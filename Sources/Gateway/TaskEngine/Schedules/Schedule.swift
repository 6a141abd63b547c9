package import ErrandTaskStore
package import ErrandTime

/// A schedule in memory: the stored record, its definition, and its last failure.
package struct Schedule: Sendable {
    /// The stored record.
    package var record: ScheduleRecord
    /// The definition, or the reason why it cannot be read.
    package var definition: Result<ScheduleDefinition, ScheduleFault>
    /// The document of its task as clients see it; `nil` for the definition's document without its secrets.
    package var shownTask: [UInt8]?
    /// The failure of its last run; not stored, so that it is forgotten when the process ends.
    package var failure: Failure?
    /// The time of the next try, after the store could not write.
    var retryAt: Timestamp?

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

    /// The next time at which the schedule needs attention; `nil` for never.
    var wakesAt: Timestamp? {
        record.nextRunAt.map { next in retryAt.map { max(next, $0) } ?? next }
    }

    /// The times at which it creates tasks; `nil` if the definition cannot be read.
    package var timing: ScheduleTiming? {
        if case .success(let definition) = definition { definition.timing } else { nil }
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
