import ErrandConfiguration
import ErrandCron
import ErrandHTTPServer
import ErrandJSON
import ErrandSessionCore
import ErrandTaskEngine
import ErrandTaskStore
import ErrandTime
import ErrandTimeZones

/// A schedule as clients see it.
struct ScheduleDocument {
    private let schedule: Schedule
    private let session: SessionConfiguration?
    private let now: Timestamp

    /// The number of next times that are listed.
    static let nextRuns = 5

    /// Creates a document.
    ///
    /// - Parameters:
    ///   - session: The configuration of its tasks' session; `nil` if there is none.
    ///   - now: The time after which its next times are listed.
    init(_ schedule: Schedule, session: SessionConfiguration?, at now: Timestamp) {
        self.schedule = schedule
        self.session = session
        self.now = now
    }

    /// Writes the schedule as a JSON object.
    func write(to writer: inout JSONWriter) {
        let record = schedule.record
        writer.beginObject()
        writer.member("name", record.name)
        writer.member("origin", record.origin.rawValue)
        if case .success(let definition) = schedule.definition { write(definition, to: &writer) }
        writer.member("session", record.session)
        writer.member("suspended", record.isSuspended)
        writer.member("created_at", record.createdAt.description)
        writer.member("updated_at", record.updatedAt.description)
        writer.member("next_runs")
        writer.beginArray()
        for time in nextTimes { writer.string(time.description) }
        writer.endArray()
        writer.member("last_run_at", record.lastRunAt?.description)
        writer.member("last_task", record.lastTask?.description)
        writer.member("last_error")
        writeFailure(to: &writer)
        writer.member("revision", record.revision)
        writeLinks(to: &writer)
        writer.endObject()
    }

    /// Writes the members of a response that reports a change in short.
    func writeShort(to writer: inout JSONWriter) {
        let record = schedule.record
        writer.beginObject()
        writer.member("name", record.name)
        writer.member("session", record.session)
        writer.member("suspended", record.isSuspended)
        writer.member("revision", record.revision)
        writer.endObject()
    }

    private func write(_ definition: ScheduleDefinition, to writer: inout JSONWriter) {
        writer.member("cron", definition.timing.cron.description)
        writer.member("time_zone", definition.timing.zone.name)
        writer.member("missed", definition.timing.missed.rawValue)
        writer.member("task")
        writer.raw(ScheduledTaskDocument(session).shown(schedule.shownTask))
    }

    /// The next times, beginning with the one that the schedule waits for.
    private var nextTimes: [Timestamp] {
        guard let timing = schedule.timing, let first = schedule.record.nextRunAt else { return [] }
        return [first] + timing.times(Self.nextRuns - 1, after: first)
    }

    private func writeFailure(to writer: inout JSONWriter) {
        let failure: Schedule.Failure? =
            if case .failure(let fault) = schedule.definition {
                Schedule.Failure(at: now, message: fault.message)
            } else {
                schedule.failure
            }
        guard let failure else { return writer.null() }
        writer.beginObject()
        writer.member("at", failure.at.description)
        writer.member("message", failure.message)
        writer.endObject()
    }

    private func writeLinks(to writer: inout JSONWriter) {
        let path = schedule.record.path
        writer.member("links")
        writer.beginObject()
        writer.member("self", path)
        for action in ["run", schedule.record.isSuspended ? "resume" : "suspend"] {
            writer.member(action, "\(path)/\(action)")
        }
        writer.endObject()
    }
}

extension ScheduleRecord {
    /// The path of the schedule.
    var path: String { "/v1/schedules/\(name)" }

    /// The entity tag of the schedule: it changes with each stored change, including runs.
    ///
    /// It has the time of the creation, because a deleted schedule and a new one of the same name have the same
    /// revisions.
    var entityTag: EntityTag {
        EntityTag(opaque: "r\(revision)-\(String(createdAt.milliseconds, radix: 36))")
    }
}
