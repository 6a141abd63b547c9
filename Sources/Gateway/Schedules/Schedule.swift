import TaskStore

/// A schedule as the gateway knows it: what is stored, read, and what became of its last time.
struct Schedule: Sendable {
    /// What is stored.
    var record: ScheduleRecord
    /// What it is; why nobody knows, when it cannot be read.
    var definition: Result<ScheduleDefinition, ScheduleFault>
    /// The document of its task as it is shown; `nil`: the one of the definition, without its secrets.
    var shownTask: [UInt8]?
    /// Why its last time has come to nothing; not stored, so that it is forgotten with the process.
    var failure: Failure?
    /// It is looked at again then, as the store could not write.
    var retryAt: Timestamp?

    /// Why a time has come to nothing.
    struct Failure: Sendable, Hashable {
        /// When.
        var at: Timestamp
        /// Why, for people.
        var message: String
    }

    /// Creates a schedule of what is stored.
    init(_ record: ScheduleRecord) {
        self.record = record
        do throws(ScheduleFault) {
            definition = .success(try ScheduleDefinition(stored: record.definition))
        } catch {
            definition = .failure(error)
        }
    }

    /// When something is to be done with it; `nil` when nothing ever is.
    var wakesAt: Timestamp? {
        record.nextRunAt.map { next in retryAt.map { max(next, $0) } ?? next }
    }

    /// When it makes its tasks.
    var timing: ScheduleTiming? {
        if case .success(let definition) = definition { definition.timing } else { nil }
    }

    /// The record with a change that is not one of its runs.
    func changed(at now: Timestamp, _ change: (inout ScheduleRecord) -> Void) -> ScheduleRecord {
        var record = record
        change(&record)
        record.updatedAt = now
        record.revision += 1
        return record
    }
}
