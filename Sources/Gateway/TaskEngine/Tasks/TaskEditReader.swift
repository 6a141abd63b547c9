import ErrandJSON
import ErrandSessionCore
import ErrandTaskStore
import ErrandTime

/// Decodes an edit of a task: a merge patch (RFC 7396) of the members that can be changed.
struct TaskEditReader {
    /// The task to be edited.
    let record: TaskRecord
    /// The current time.
    let now: Timestamp
    let maxDepth: Int

    /// The range of a task's transfer rate limit, in bytes per second.
    static let bytesPerSecond = 1024...1 << 40

    /// The members of a task that cannot be changed, with the reason.
    private static let refused: [String: String] = {
        let fixed = [
            "session", "kind", "method", "path", "parameters", "headers", "body", "request_serializer",
            "response_serializer", "timeouts", "retry", "download", "callback", "ordering_key", "start",
            "idempotency_key",
        ]
        var refused = Dictionary(
            uniqueKeysWithValues: fixed.map { ($0, "it cannot be changed after the task is created") })
        refused["delay"] = "use not_before: an edit sets the time itself"
        // Of the members that clients see, those that an edit reads are never refused.
        for member in TaskMember.inOrder where refused["\(member.name)"] == nil {
            refused["\(member.name)"] = "it cannot be changed: the gateway sets it"
        }
        return refused
    }()

    /// Decodes an edit.
    ///
    /// - Throws: All errors of the document.
    func read(_ bytes: [UInt8]) throws(TaskRejection) -> TaskEdit {
        try JSONDocument.received(bytes, maxDepth: maxDepth)
            .readObject(refusing: Self.refused) { read(&$0) }
    }

    private func read(_ patch: inout JSONObjectReader) -> TaskEdit {
        var edit = TaskEdit()
        // Removing the member restores the default.
        edit.priority = patch.isNull("priority") ? TaskDecoder.defaultPriority : patch.integer("priority", in: 0...9)
        let notBefore = TaskTimes.notBefore(&patch, at: now)
        if patch.has("not_before") { edit.notBefore = .some(notBefore) }
        let deadline = TaskTimes.deadline(&patch, at: now)
        if patch.has("deadline") { edit.deadline = .some(deadline) }
        let speed = patch.integer("bytes_per_second", in: Self.bytesPerSecond)
        if patch.has("bytes_per_second") { edit.bytesPerSecond = .some(speed.map { Int64($0) }) }
        edit.labels = labels(&patch)
        for fault in edit.faults(of: edit.applied(to: record.values), at: now) {
            patch.report(fault.member, fault.detail)
        }
        return edit
    }

    private func labels(_ patch: inout JSONObjectReader) -> [String: String?] {
        if patch.isNull("labels") {
            return Dictionary(uniqueKeysWithValues: record.labels.keys.map { ($0, String?.none) })
        }
        return TaskLabels.readChanges(&patch)
    }
}

extension JSONObjectReader {
    /// Returns true if the member exists and is `null`, which removes the value (RFC 7396 §1).
    mutating func isNull(_ name: String) -> Bool {
        value(name)?.isNull ?? false
    }
}
