import Configuration
import JSON
import SessionCore
import TaskStore

/// A session as clients read it: the configuration in force, without secrets, and what it is doing.
struct SessionDocument: Sendable {
    /// What becomes of its tasks, in one word.
    enum State: String, Sendable, Hashable, CaseIterable {
        /// It takes tasks and starts them.
        case open
        /// It starts none, until it is resumed.
        case suspended
        /// It takes none any more, and does what it has to the end.
        case draining
        /// It takes none any more, and has none.
        case closed

        /// The state of a session with such a mark and so many tasks that are not done.
        init(_ mark: SessionMark, unfinished: Int) {
            self =
                if mark.isClosed && unfinished == 0 {
                    .closed
                } else if mark.isSuspended {
                    .suspended
                } else {
                    mark.isClosed ? .draining : .open
                }
        }
    }

    let configuration: SessionConfiguration
    let isDefault: Bool
    let mark: SessionMark
    let counts: TaskCounts
    let inFlight: Int
    let conditions: SessionConditions
    let reachability: Reachability
    let connections: ConnectionCounts?

    /// What is known of a session at the moment; `nil` when there is none.
    init?(_ name: String, _ dispatcher: Dispatcher, counts: TaskCounts) {
        guard let generation = dispatcher.sessions.generation(of: name),
            let conditions = dispatcher.conditions(of: name)
        else { return nil }
        self.conditions = conditions
        configuration = generation.session.configuration
        isDefault = name == dispatcher.sessions.defaultName
        mark = dispatcher.sessions.mark(of: name)
        self.counts = counts
        inFlight = dispatcher.running(session: name)
        reachability = generation.session.reachability
        connections = generation.connections
    }

    /// What becomes of its tasks.
    var state: State {
        State(
            mark,
            unfinished: TaskState.allCases.filter { !$0.isTerminal }.reduce(0) { $0 + counts[configuration.name, $1] })
    }

    /// Writes the session as a JSON object.
    func write(to writer: inout JSONWriter) {
        let name = configuration.name
        writer.beginObject()
        writer.member("name")
        writer.string(name)
        writer.member("is_default")
        writer.bool(isDefault)
        writer.member("state")
        writer.string(state.rawValue)
        writer.member("accepts_tasks")
        writer.bool(!mark.isClosed)
        writer.member("configuration")
        ConfigurationPrinter.write(configuration, to: &writer)
        writer.member("tasks")
        writer.beginObject()
        for state in TaskState.allCases {
            writer.member(state.rawValue)
            writer.int(counts[name, state])
        }
        writer.endObject()
        writer.member("in_flight")
        writer.int(inFlight)
        conditions.write(to: &writer)
        writer.member("reachability")
        writer.string(reachability.rawValue)
        writer.member("connections")
        write(connections, to: &writer)
        writer.member("links")
        writer.beginObject()
        writer.member("self")
        writer.string("/v1/sessions/\(name)")
        writer.member("tasks")
        writer.string("/v1/tasks?session=\(name)")
        writer.endObject()
        writer.endObject()
    }

    private func write(_ connections: ConnectionCounts?, to writer: inout JSONWriter) {
        guard let connections else { return writer.null() }
        writer.beginObject()
        writer.member("open")
        writer.int(connections.open)
        writer.member("idle")
        writer.int(connections.idle)
        writer.member("reused")
        writer.int(connections.reused)
        writer.endObject()
    }
}
