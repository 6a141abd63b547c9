import ErrandConfiguration
import ErrandJSON

/// A schedule that was checked completely, with its task.
package struct AcceptedSchedule: Sendable {
    package var name: String
    package var definition: ScheduleDefinition
}

/// Decodes a client's schedule.
///
/// Reports all errors at once; those of the task have their places below `/task`.
package struct ScheduleDecoder: Sendable {
    /// Decodes and checks the task.
    let tasks: TaskDecoder

    /// Decodes a document.
    ///
    /// - Parameter name: The name from the path; a name in the document must be the same. `nil` if only the document
    ///   has one.
    package func decode(_ bytes: [UInt8], named name: String? = nil) async throws(TaskRejection) -> AcceptedSchedule {
        let document = try JSONDocument.received(task: bytes, at: ["task"], maxDepth: tasks.maxDepth)
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
            schedule.report("name", "expected \"\(expected)\", the name in the path")
        } else if let reason = ScheduleName.reasonToRefuse(name) {
            schedule.report("name", reason)
        }
        return name
    }
}
