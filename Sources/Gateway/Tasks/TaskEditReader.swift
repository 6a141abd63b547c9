import JSON
import SessionCore
import TaskStore

/// Reads a change of a task: a merge patch (RFC 7396) on what can be changed of it.
struct TaskEditReader {
    /// The task that is to be changed.
    let record: TaskRecord
    /// The time.
    let now: Timestamp
    let maxDepth: Int

    /// The least and the most that a task may be allowed to move, in bytes for each second.
    static let bytesPerSecond = 1024...1 << 40

    /// The members of a task that cannot be changed, with the reason.
    private static let refused: [String: String] = {
        let fixed = [
            "session", "kind", "method", "path", "parameters", "headers", "body", "request_serializer",
            "response_serializer", "timeouts", "retry", "callback", "ordering_key", "start", "idempotency_key",
        ]
        var refused = Dictionary(
            uniqueKeysWithValues: fixed.map { ($0, "it is fixed when the task is created") })
        refused["delay"] = "a change gives the time itself, not_before"
        return refused
    }()

    /// Reads the change.
    ///
    /// - Throws: Everything that is wrong with it.
    func read(_ bytes: [UInt8]) throws(TaskRejection) -> TaskEdit {
        let document: JSONDocument
        do {
            document = try JSONDocument.parse(bytes, limits: JSONLimits(maxDepth: maxDepth))
        } catch {
            throw .malformed(error)
        }
        let problems = JSONProblems()
        guard var patch = JSONObjectReader(document.root, reporting: problems) else {
            throw .invalid(problems.problems)
        }
        let edit = read(&patch)
        patch.finish(refusing: Self.refused)
        guard problems.problems.isEmpty else { throw .invalid(problems.problems) }
        return edit
    }

    private func read(_ patch: inout JSONObjectReader) -> TaskEdit {
        var edit = TaskEdit()
        // Removing it leaves the default.
        edit.priority = patch.isNull("priority") ? TaskDecoder.defaultPriority : patch.integer("priority", in: 0...9)
        let notBefore = TaskTimes.notBefore(&patch, at: now)
        if patch.has("not_before") { edit.notBefore = .some(notBefore) }
        let deadline = TaskTimes.deadline(&patch, at: now)
        if patch.has("deadline") { edit.deadline = .some(deadline) }
        let speed = patch.integer("bytes_per_second", in: Self.bytesPerSecond)
        if patch.has("bytes_per_second") { edit.bytesPerSecond = .some(speed.map { Int64($0) }) }
        edit.labels = labels(&patch)
        reportTimes(edit, patch)
        return edit
    }

    /// The times that the task would have are judged together; one that is passed is judged no more.
    private func reportTimes(_ edit: TaskEdit, _ patch: JSONObjectReader) {
        let times = TaskTimes(
            notBefore: edit.notBefore ?? record.notBefore, deadline: edit.deadline ?? record.deadline)
        guard edit.notBefore != nil || edit.deadline != nil, let fault = times.fault else { return }
        patch.report(edit.deadline == nil ? "not_before" : "deadline", fault)
    }

    private func labels(_ patch: inout JSONObjectReader) -> [String: String?] {
        if patch.isNull("labels") {
            return Dictionary(uniqueKeysWithValues: record.labels.keys.map { ($0, String?.none) })
        }
        let changes = TaskLabels.readChanges(&patch)
        var labels = record.labels
        for (key, value) in changes { labels[key] = value }
        TaskLabels.checkCount(labels, patch)
        return changes
    }
}

extension JSONObjectReader {
    /// Whether the member is there, and `null`, which removes what it names (RFC 7396 §1).
    mutating func isNull(_ name: String) -> Bool {
        value(name)?.isNull ?? false
    }
}
