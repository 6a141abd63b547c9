import ErrandJSON
import ErrandTaskStore

/// The `links` member of a task: the resources of the task, and the operations that its state allows.
enum TaskLinks {
    /// Writes the links.
    ///
    /// - Parameter path: The path of the task, which needs no escape.
    static func write(of record: TaskRecord, path: String, to writer: inout JSONWriter) {
        func link(_ name: StaticString, _ suffix: String, when isPossible: Bool = true) {
            guard isPossible else { return }
            writer.member(name)
            writer.plainString { text in
                text.append(contentsOf: path.utf8)
                text.append(contentsOf: suffix.utf8)
            }
        }
        let state = record.state
        writer.beginObject()
        link("self", "")
        link("events", "/events")
        link("cancel", "/cancel", when: !state.isTerminal)
        link("suspend", "/suspend", when: !state.isTerminal && state != .canceling && state != .suspended)
        link("resume", "/resume", when: state == .suspended)
        link("run_now", "/run-now", when: !record.awaitsContent && (state == .scheduled || state == .waiting))
        link("content", "/content", when: record.awaitsContent)
        link("retry", "/retry", when: state.isTerminal)
        link("body", "/body", when: record.result.body != nil)
        writer.endObject()
    }
}
