import ErrandConfiguration
import ErrandJSON
import ErrandSessionCore
import ErrandTaskEngine
import ErrandTaskStore

/// A session as clients see it: its configuration without secrets, and its current state.
struct SessionDocument: Sendable {
    /// The state of a session, from the point of view of its tasks.
    enum State: String, Sendable, Hashable, CaseIterable {
        /// Accepts tasks and starts them.
        case open
        /// Accepts tasks and starts none until it is resumed.
        case suspended
        /// Accepts no tasks and completes those it has.
        case draining
        /// Accepts no tasks and has none.
        case closed

        /// Creates the state of a session from its operators' state and its number of unfinished tasks.
        init(_ controlState: SessionControlState, unfinished: Int) {
            self =
                if controlState.isClosed && unfinished == 0 {
                    .closed
                } else if controlState.isSuspended {
                    .suspended
                } else {
                    controlState.isClosed ? .draining : .open
                }
        }
    }

    let configuration: SessionConfiguration
    let isDefault: Bool
    let controlState: SessionControlState
    let counts: TaskCounts
    let inFlight: Int
    let conditions: SessionConditions
    let reachability: Reachability
    let connections: ConnectionCounts?

    /// Creates the document of a session; `nil` if there is none.
    init?(_ name: String, in sessions: SessionCatalog, dispatcher: Dispatcher, counts: TaskCounts) {
        guard let generation = sessions.generation(of: name),
            let conditions = dispatcher.conditions(of: name)
        else { return nil }
        self.conditions = conditions
        configuration = generation.session.configuration
        isDefault = name == sessions.defaultName
        controlState = sessions.controlState(of: name)
        self.counts = counts
        inFlight = dispatcher.running(session: name)
        reachability = generation.session.reachability
        connections = generation.connections
    }

    /// The state of the session.
    var state: State {
        State(
            controlState,
            unfinished: TaskState.allCases.filter { !$0.isTerminal }.reduce(0) { $0 + counts[configuration.name, $1] })
    }

    /// Writes the session as a JSON object.
    func write(to writer: inout JSONWriter) {
        let name = configuration.name
        writer.beginObject()
        writer.member("name", name)
        writer.member("is_default", isDefault)
        writer.member("state", state.rawValue)
        writer.member("accepts_tasks", !controlState.isClosed)
        writer.member("configuration")
        ConfigurationPrinter.write(configuration, to: &writer)
        writer.member("tasks")
        writer.beginObject()
        for state in TaskState.allCases { writer.member(state.rawValue, counts[name, state]) }
        writer.endObject()
        writer.member("in_flight", inFlight)
        conditions.write(to: &writer)
        writer.member("reachability", reachability.rawValue)
        writer.member("connections")
        write(connections, to: &writer)
        writer.member("links")
        writer.beginObject()
        writer.member("self", "/v1/sessions/\(name)")
        writer.member("tasks", "/v1/tasks?session=\(name)")
        writer.endObject()
        writer.endObject()
    }

    private func write(_ connections: ConnectionCounts?, to writer: inout JSONWriter) {
        guard let connections else { return writer.null() }
        writer.beginObject()
        writer.member("open", connections.open)
        writer.member("idle", connections.idle)
        writer.member("reused", connections.reused)
        writer.endObject()
    }
}
