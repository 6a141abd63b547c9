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
        writer.link("self", below: path, "")
        writer.link("events", below: path, "/events")
        writer.link("cancel", below: path, "/cancel", when: !state.isTerminal)
        writer.link(
            "suspend", below: path, "/suspend", when: !state.isTerminal && state != .canceling && state != .suspended)
        writer.link("resume", below: path, "/resume", when: state == .suspended)
        let waitsForTime = state == .scheduled || state == .waiting
        writer.link("run_now", below: path, "/run-now", when: !record.awaitsContent && waitsForTime)
        writer.link("content", below: path, "/content", when: record.awaitsContent)
        writer.link("retry", below: path, "/retry", when: state.isTerminal)
        writer.link("body", below: path, "/body", when: record.result.body != nil)
        writer.endObject()
    }
}

extension JSONWriter {
    /// Writes a link, if its operation is possible.
    fileprivate mutating func link(
        _ name: StaticString, below path: String, _ suffix: String, when isPossible: Bool = true
    ) {
        guard isPossible else { return }
        member(name)
        plainString { text in
            text.append(contentsOf: path.utf8)
            text.append(contentsOf: suffix.utf8)
        }
    }
}
