import ErrandJSON
import ErrandTaskStore

/// Creates a new task from a finished one: decodes its stored document with the current configuration.
struct TaskRepeat: Sendable {
    let decoder: TaskDecoder

    /// The members that belong to the first task only: its times, its key and its suspended start.
    private static let dropped = ["not_before", "delay", "deadline", "start", TaskClaim.member]

    /// Returns the repetition of a task.
    ///
    /// - Parameters:
    ///   - record: The finished task.
    ///   - overrides: Members that replace those of the document.
    ///   - key: The client's key for the new task.
    /// - Throws: All errors of the new task.
    func accept(
        _ record: TaskRecord, overrides: JSONDocument?, key: IdempotencyKey? = nil
    ) async throws(TaskRejection) -> AcceptedTask {
        let document = try Self.document(of: record, overrides: overrides)
        let decoded = try await decoder.decode(document, as: .single, key: key)
        let task = try Self.hiding(secretsOf: record, in: decoded, overrides: overrides?.root.object)
        guard let key else { return task }
        return task.claimed(by: TaskClaim(key, onRetryOf: record.id, with: overrides))
    }

    /// Returns the document of a repetition.
    ///
    /// It has the current session, labels, priority and transfer rate limit of the task, which may come from defaults
    /// or an edit. Not inlined, because its values would become a part of the frame of a function that suspends.
    ///
    /// - Parameters:
    ///   - record: The finished task.
    ///   - overrides: Members that replace those of the document; `null` removes a member (RFC 7396, but only the first
    ///     level). A `null` that removes nothing stays in the document, so that an unknown name is reported.
    ///   - omitsEveryNull: True to leave out such a `null` too, as former versions did. Default: false.
    /// - Throws: An error if the stored task cannot be read, or the overrides are not an object.
    @inline(never)
    static func document(
        of record: TaskRecord, overrides: JSONDocument?, omitsEveryNull: Bool = false
    ) throws(TaskRejection) -> [UInt8] {
        let stored = try JSONDocument.received(task: record.specification.task, maxDepth: nil)
        guard let object = stored.root.object else {
            throw .invalid([JSONProblem(JSONPointer(), "the stored task cannot be read")])
        }
        var changes: [(name: String, value: [UInt8]?)] = dropped.map { ($0, nil) }
        changes += [
            ("session", text { $0.string(record.session) }),
            ("priority", text { $0.int(record.priority) }),
            ("labels", text { TaskRenderer.write(record.labels, to: &$0) }),
            ("bytes_per_second", record.bytesPerSecond.map { rate in text { $0.int(rate) } }),
        ]
        let renewed = stored.replacing(changes, in: object)
        guard let overrides else { return renewed }
        return try merged(renewed, overrides, omitsEveryNull: omitsEveryNull)
    }

    private static func merged(
        _ task: [UInt8], _ overrides: JSONDocument, omitsEveryNull: Bool
    ) throws(TaskRejection) -> [UInt8] {
        let changes = try overrides.checkedObject()
        let document = try JSONDocument.received(task: task, maxDepth: nil)
        let object = document.root.object ?? JSONObject()
        return document.replacing(
            changes.members.map { member -> (name: String, value: [UInt8]?) in
                let removes = member.value.isNull && (omitsEveryNull || object[member.key] != nil)
                return (member.key, removes ? nil : Array(overrides.slice(of: member.value)))
            }, in: object)
    }

    // MARK: Secrets

    /// Returns a repetition that hides what the task that it repeats hides.
    ///
    /// Not inlined, as above.
    ///
    /// - Throws: An error if the repetition would reveal a part that clients cannot read (``UnshownParts``).
    @inline(never)
    private static func hiding(
        secretsOf record: TaskRecord, in task: AcceptedTask, overrides: JSONObject?
    ) throws(TaskRejection) -> AcceptedTask {
        let request = JSONObject(stored: record.specification.request) ?? JSONObject()
        let hidden = HiddenValues(inheritedFrom: request, replacing: overrides)
        if let overrides,
            let problem = UnshownParts(
                of: record, request: request, hidden: hidden, in: task, overrides: overrides)?.problem
        {
            throw .invalid([problem])
        }
        return task.hiding(hidden)
    }

    private static func text(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        write(&writer)
        return writer.bytes
    }
}
