import ErrandConfiguration
import ErrandCron
import ErrandJSON
import ErrandTaskStore
import ErrandTimeZones

/// The definition of a schedule: its times and its task.
package struct ScheduleDefinition: Sendable, Hashable {
    /// The times at which tasks are created.
    package var timing: ScheduleTiming
    /// The session of its tasks.
    package var session: String
    /// The document of the task, including its session; may contain secrets.
    package var task: [UInt8]

    /// Creates a definition.
    ///
    /// - Parameters:
    ///   - task: The document of the task.
    ///   - session: Its session, added to a document without one, so that another default session changes nothing.
    init(timing: ScheduleTiming, task: JSONObject, in document: JSONDocument, session: String) {
        self.timing = timing
        self.session = session
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("session", session)
        for member in task.members where member.key != "session" {
            writer.member(member.key)
            writer.raw(document.slice(of: member.value))
        }
        writer.endObject()
        self.task = writer.bytes
    }

    /// Creates the definition of a schedule in the configuration.
    ///
    /// - Parameter defaultSession: The session of a task that names none.
    init(_ configured: ScheduleConfiguration, defaultSession: String?) throws(ScheduleFault) {
        let document: JSONDocument
        let cron: CronExpression
        do {
            document = try JSONDocument.parse(task: configured.task.document)
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

    // MARK: Stored document

    /// The document to be stored: `cron`, `time_zone`, `missed` and `task`.
    var document: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("cron", timing.cron.description)
        writer.member("time_zone", timing.zone.name)
        writer.member("missed", timing.missed.rawValue)
        writer.member("task")
        writer.raw(task)
        writer.endObject()
        return writer.bytes
    }

    /// Decodes a stored document.
    ///
    /// A store replaces a document that it cannot read by one with the reason (`unreadable`).
    init(stored bytes: [UInt8]) throws(ScheduleFault) {
        let document: JSONDocument
        do {
            document = try JSONDocument.parse(task: bytes, at: ["task"])
        } catch {
            throw ScheduleFault("the stored schedule cannot be read: \(error)")
        }
        if let reason = document.root.object?["unreadable"]?.string { throw ScheduleFault(reason) }
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
    /// Reads `cron`, `time_zone` and `missed` from a document; reports errors and returns `nil` if there are any.
    static func read(_ document: inout JSONObjectReader) -> ScheduleTiming? {
        let cron = cron(&document)
        let zone = zone(&document)
        let missed = document.choice("missed", Missed.self)
        guard let cron, let zone, missed != nil || !document.says("missed") else { return nil }
        return ScheduleTiming(cron: cron, zone: zone, missed: missed ?? .skip)
    }

    /// The most bytes of a text that a message quotes.
    private static let shownBytes = 64

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
            document.report("cron", "\"\(text.shortened(toBytes: shownBytes))\", \(error.description)")
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
            document.report(
                "time_zone",
                """
                expected a time zone of the IANA database with an area, such as "Europe/Berlin", or UTC; \
                found "\(name.shortened(toBytes: shownBytes))"\(meant)
                """)
            return nil
        }
        return zone
    }
}

/// The reason why a schedule cannot create tasks.
package struct ScheduleFault: Error, Sendable, Hashable {
    /// A message for people, without secrets.
    package var message: String

    init(_ message: String) {
        self.message = message
    }
}
