import JSON
import TaskStore

/// Makes a finished task again, as a new one: from the document that is stored, judged by the configuration in force.
struct TaskRepeat: Sendable {
    let decoder: TaskDecoder

    /// What belongs to the first time only: its times, its key, and that it was held.
    private static let dropped = ["not_before", "delay", "deadline", "start", TaskClaim.member]

    /// The task as a new one.
    ///
    /// The session, the labels and the priority are those that the task has now, whatever its document left to a
    /// default or a client has changed since.
    ///
    /// - Parameters:
    ///   - record: The finished task.
    ///   - overrides: Members that take the place of those of the document; `null` removes one (RFC 7396, but for one
    ///     level).
    ///   - key: The client's key for the new task.
    /// - Throws: Everything that is wrong with it now.
    func accept(
        _ record: TaskRecord, overrides: JSONDocument?, key: IdempotencyKey? = nil
    ) async throws(TaskRejection) -> AcceptedTask {
        let stored: JSONDocument
        do {
            stored = try JSONDocument.parse(record.specification.task)
        } catch {
            throw .malformed(error)
        }
        guard let object = stored.root.object else {
            throw .invalid([JSONProblem(JSONPointer(), "the stored task cannot be read")])
        }
        var changes: [(name: String, value: [UInt8]?)] = Self.dropped.map { ($0, nil) }
        changes += [
            ("session", Self.text { $0.string(record.session) }),
            ("priority", Self.text { $0.int(record.priority) }),
            ("labels", Self.text { TaskRenderer.write(record.labels, to: &$0) }),
        ]
        let renewed = stored.replacing(changes, in: object)
        guard let overrides else { return try await decoder.decode(renewed, as: .single, key: key) }
        return try await decoder.decode(try Self.merged(renewed, overrides), as: .single, key: key)
    }

    /// A delivery to be made again: the same message, under the same id, as a new task.
    func delivery(_ record: TaskRecord, id: TaskID) -> TaskRecord {
        var next = TaskRecord(
            id: id, session: record.session, kind: record.kind, state: .queued, priority: record.priority,
            createdAt: id.timestamp, labels: record.labels, specification: record.specification)
        next.parent = record.parent
        next.retryOf = record.id
        return next
    }

    private static func merged(_ task: [UInt8], _ overrides: JSONDocument) throws(TaskRejection) -> [UInt8] {
        let problems = JSONProblems()
        guard let changes = overrides.root.object, JSONObjectReader(overrides.root, reporting: problems) != nil,
            problems.problems.isEmpty
        else {
            let problem = JSONProblem(
                JSONPointer(), "expected an object, found \(overrides.root.kindDescription)")
            throw .invalid(problems.problems.isEmpty ? [problem] : problems.problems)
        }
        let document: JSONDocument
        do {
            document = try JSONDocument.parse(task)
        } catch {
            throw .malformed(error)
        }
        return document.replacing(
            changes.members.map { member in
                (member.key, member.value.isNull ? nil : Array(overrides.slice(of: member.value)))
            }, in: document.root.object ?? JSONObject())
    }

    private static func text(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        write(&writer)
        return writer.bytes
    }
}
