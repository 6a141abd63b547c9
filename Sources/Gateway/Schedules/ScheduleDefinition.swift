import Configuration
import Cron
import JSON
import TaskStore
import TimeZones

/// What a schedule is: when, and which task.
struct ScheduleDefinition: Sendable, Hashable {
    /// When tasks are made.
    var timing: ScheduleTiming
    /// The session of its tasks.
    var session: String
    /// The document of the task, in which the session is named; may hold secrets.
    var task: [UInt8]

    /// Creates a definition.
    ///
    /// - Parameters:
    ///   - task: The document of the task.
    ///   - session: Its session: where the document names none, it does afterwards, so that another default session
    ///     changes nothing.
    init(timing: ScheduleTiming, task: JSONObject, in document: JSONDocument, session: String) {
        self.timing = timing
        self.session = session
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("session")
        writer.string(session)
        for member in task.members where member.key != "session" {
            writer.member(member.key)
            writer.raw(document.slice(of: member.value))
        }
        writer.endObject()
        self.task = writer.bytes
    }

    /// Creates the definition of a schedule of the configuration.
    ///
    /// - Parameter defaultSession: The session when its task names none.
    init(_ configured: ScheduleConfiguration, defaultSession: String?) throws(ScheduleFault) {
        let document: JSONDocument
        let cron: CronExpression
        do {
            document = try JSONDocument.parse(configured.task.document)
            cron = try CronExpression(configured.cron)
        } catch {
            throw ScheduleFault("the schedule cannot be read: \(error)")
        }
        guard let zone = NamedZone(configured.timeZone), let task = document.root.object,
            let session = task["session"]?.string ?? defaultSession
        else { throw ScheduleFault("the schedule has no time zone, or its task no session") }
        self.init(
            timing: ScheduleTiming(cron: cron, zone: zone, missed: configured.missed), task: task, in: document,
            session: session)
    }

    // MARK: As stored

    /// The document that is stored: `cron`, `time_zone`, `missed` and `task`.
    var document: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("cron")
        writer.string(timing.cron.description)
        writer.member("time_zone")
        writer.string(timing.zone.name)
        writer.member("missed")
        writer.string(timing.missed.rawValue)
        writer.member("task")
        writer.raw(task)
        writer.endObject()
        return writer.bytes
    }

    /// Reads a document that was stored.
    init(stored bytes: [UInt8]) throws(ScheduleFault) {
        let document: JSONDocument
        do {
            document = try JSONDocument.parse(bytes)
        } catch {
            throw ScheduleFault("the stored schedule cannot be read: \(error)")
        }
        let problems = JSONProblems()
        guard var object = JSONObjectReader(document.root, reporting: problems),
            let timing = ScheduleTiming.read(&object), let task = object.value("task")
        else {
            throw ScheduleFault(problems.problems.first?.detail ?? "the stored schedule has no task")
        }
        self.timing = timing
        session = task.object?["session"]?.string ?? ""
        self.task = Array(document.slice(of: task))
    }
}

extension ScheduleTiming {
    /// Takes `cron`, `time_zone` and `missed` out of a document; `nil` when something is wrong with them, which is
    /// reported.
    static func read(_ document: inout JSONObjectReader) -> ScheduleTiming? {
        let cron = cron(&document)
        let zone = zone(&document)
        let missed = document.choice("missed", Missed.self)
        guard let cron, let zone, missed != nil || !document.says("missed") else { return nil }
        return ScheduleTiming(cron: cron, zone: zone, missed: missed ?? .skip)
    }

    private static func cron(_ document: inout JSONObjectReader) -> CronExpression? {
        guard document.says("cron") else {
            _ = document.value("cron")
            document.report("cron", "a schedule needs a cron expression such as \"30 6 * * MON-FRI\"")
            return nil
        }
        guard let text = document.string("cron") else { return nil }
        do throws(CronError) {
            return try CronExpression(text)
        } catch {
            document.report("cron", error.description)
            return nil
        }
    }

    private static func zone(_ document: inout JSONObjectReader) -> NamedZone? {
        guard document.says("time_zone") else {
            _ = document.value("time_zone")
            return NamedZone("UTC")
        }
        guard let name = document.string("time_zone") else { return nil }
        guard let zone = NamedZone(name) else {
            let meant = closestMatch(to: name, among: NamedZone.someNames).map { "; did you mean \"\($0)\"?" } ?? ""
            document.report("time_zone", "expected a time zone such as \"Europe/Berlin\"\(meant)")
            return nil
        }
        return zone
    }
}

/// Why a schedule makes no task.
struct ScheduleFault: Error, Sendable, Hashable {
    /// For people; no secrets.
    var message: String

    init(_ message: String) {
        self.message = message
    }
}
