import ErrandJSON
import ErrandTaskStore

/// The `links` member of a task: the resources of the task, and the operations that its state allows.
enum TaskLinks {
    /// Writes the links.
    ///
    /// - Parameter path: The path of the task, which needs no escape.
    static func write(of record: TaskRecord, path: String, to writer: inout JSONWriter) {
        let state = record.state
        writer.beginObject()
        writer.link("self", path, "")
        writer.link("events", path, "/events")
        writer.link("cancel", path, "/cancel", when: !state.isTerminal)
        writer.link("suspend", path, "/suspend", when: !state.isTerminal && state != .canceling && state != .suspended)
        writer.link("resume", path, "/resume", when: state == .suspended)
        let waitsForTime = state == .scheduled || state == .waiting
        writer.link("run_now", path, "/run-now", when: !record.awaitsContent && waitsForTime)
        writer.link("content", path, "/content", when: record.awaitsContent)
        writer.link("retry", path, "/retry", when: state.isTerminal)
        writer.link("body", path, "/body", when: record.result.body != nil)
        writer.endObject()
    }
}

extension JSONWriter {
    /// Writes a link, if its operation is possible.
    fileprivate mutating func link(
        _ name: StaticString, _ path: String, _ suffix: String, when isPossible: Bool = true
    ) {
        guard isPossible else { return }
        member(name)
        plainString { text in
            text.append(contentsOf: path.utf8)
            text.append(contentsOf: suffix.utf8)
        }
    }
}
