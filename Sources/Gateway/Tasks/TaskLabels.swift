import JSON

/// The labels of a task: what clients find their tasks by.
enum TaskLabels {
    /// The most labels of one task.
    static let limit = 64
    /// The longest key and value, in bytes of UTF-8.
    static let lengthLimit = 256

    static func read(_ task: inout JSONObjectReader) -> [String: String] {
        guard var labels = task.object("labels") else { return [:] }
        var read: [String: String] = [:]
        for member in labels.rest() {
            guard let value = member.value.string else {
                labels.report(member.key, "expected a string, found \(member.value.kindDescription)")
                continue
            }
            if member.key.isEmpty || member.key.utf8.count > lengthLimit || value.utf8.count > lengthLimit {
                labels.report(
                    member.key, "a label has a key of 1 to \(lengthLimit) bytes and a value of at most as many")
            }
            read[member.key] = value
        }
        if read.count > limit { task.report("labels", "a task has at most \(limit) labels, found \(read.count)") }
        return read
    }
}
