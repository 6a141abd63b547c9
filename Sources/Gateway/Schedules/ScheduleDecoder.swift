import Configuration
import JSON

/// A schedule that a client may have: judged as a whole, its task too.
struct AcceptedSchedule: Sendable {
    var name: String
    var definition: ScheduleDefinition
}

/// Reads what a client wants made again and again: every fault is found at once, those of the task
/// at their places below `/task`.
struct ScheduleDecoder: Sendable {
    /// What judges the task.
    let tasks: TaskDecoder

    /// Reads a document.
    ///
    /// - Parameter name: The name, when it does not stand in the document alone; if it does as well it is the same.
    func decode(_ bytes: [UInt8], named name: String? = nil) async throws(TaskRejection) -> AcceptedSchedule {
        let document: JSONDocument
        do {
            document = try JSONDocument.parse(bytes, limits: JSONLimits(maxDepth: tasks.maxDepth))
        } catch {
            throw .malformed(error)
        }
        let problems = JSONProblems()
        guard var schedule = JSONObjectReader(document.root, reporting: problems) else {
            throw .invalid(problems.problems)
        }
        let name = Self.name(&schedule, expected: name)
        let timing = ScheduleTiming.read(&schedule)
        let task = schedule.value("task")
        schedule.finish()
        guard let task else {
            schedule.report("task", "a schedule needs a task")
            throw .invalid(problems.problems)
        }
        let accepted: AcceptedTask
        do throws(TaskRejection) {
            accepted = try await tasks.decode(
                task, of: document, at: schedule.pointer.appending("task"), as: .schedule)
        } catch {
            guard case .invalid(let faults) = error else { throw error }
            throw .invalid(problems.problems + faults)
        }
        guard problems.problems.isEmpty, let name, let timing, let object = task.object else {
            throw .invalid(problems.problems)
        }
        return AcceptedSchedule(
            name: name,
            definition: ScheduleDefinition(timing: timing, task: object, in: document, session: accepted.session))
    }

    private static func name(_ schedule: inout JSONObjectReader, expected: String?) -> String? {
        if let expected, let reason = ScheduleName.reasonToRefuse(expected) {
            _ = schedule.value("name")
            schedule.report("name", reason)
            return nil
        }
        guard schedule.says("name") || expected == nil else {
            _ = schedule.value("name")
            return expected
        }
        guard schedule.says("name") else {
            _ = schedule.value("name")
            schedule.report("name", "a schedule needs a name")
            return nil
        }
        guard let name = schedule.string("name") else { return nil }
        if let expected, name != expected {
            schedule.report("name", "the path names the schedule \"\(expected)\"")
        } else if let reason = ScheduleName.reasonToRefuse(name) {
            schedule.report("name", reason)
        }
        return name
    }
}
