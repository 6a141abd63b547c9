import ErrandJSON

/// The labels of a task, by which clients find their tasks.
package enum TaskLabels {
    /// The maximum number of labels of a task, and of a filter.
    package static let limit = 64
    /// The maximum length of a key and a value, in bytes of UTF-8.
    static let lengthLimit = 256

    /// Reads the labels from a task.
    static func read(_ task: inout JSONObjectReader) -> [String: String] {
        let labels = members(&task, takesNull: false).compactMapValues { $0 }
        if let fault = fault(of: labels) { task.report("labels", fault) }
        return labels
    }

    /// Reads the changed labels from an edit: `nil` removes a label (RFC 7396).
    static func readChanges(_ patch: inout JSONObjectReader) -> [String: String?] {
        members(&patch, takesNull: true)
    }

    /// Returns the error of too many labels; `nil` if there is none.
    static func fault(of labels: [String: String]) -> String? {
        guard labels.count > limit else { return nil }
        return "a task may have at most \(limit) labels, found \(labels.count)"
    }

    /// Returns the error in the length of a label; `nil` if there is none.
    package static func fault(ofKey key: String, value: String?) -> String? {
        guard key.isEmpty || key.utf8.count > lengthLimit || (value?.utf8.count ?? 0) > lengthLimit else { return nil }
        return "expected a key of 1 to \(lengthLimit) bytes and a value of at most as many"
    }

    private static func members(_ document: inout JSONObjectReader, takesNull: Bool) -> [String: String?] {
        guard var labels = document.object("labels") else { return [:] }
        var read: [String: String?] = [:]
        for member in labels.rest() {
            let value = member.value.string
            guard value != nil || takesNull && member.value.isNull else {
                labels.report(
                    member.key, "expected a string\(takesNull ? " or null" : ""), found \(member.value.kindDescription)"
                )
                continue
            }
            if member.key.utf8.contains(0) || value?.utf8.contains(0) == true {
                labels.report(
                    member.key, "expected a key and a value without U+0000, which no URL of a filter can contain")
            }
            if let fault = fault(ofKey: member.key, value: value) { labels.report(member.key, fault) }
            read.updateValue(value, forKey: member.key)
        }
        return read
    }
}
