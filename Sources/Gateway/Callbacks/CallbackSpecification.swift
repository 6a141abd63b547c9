import JSON
import TaskStore

/// Who is to be told that a task has reached its end.
package struct CallbackSpecification: Sendable, Hashable {
    /// Where the message is posted to: absolute, or relative to the base URL of ``session``.
    package var url: String
    /// The session that carries it; `nil` for the one that is always there.
    package var session: String?
    /// The ends that are told.
    package var states: Set<State>

    /// The ends that can be told.
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// The task has succeeded.
        case succeeded
        /// It has failed.
        case failed
        /// It was canceled.
        case canceled

        /// The end that a state is; `nil` for one in which a task is not done.
        init?(_ state: TaskState) {
            self.init(rawValue: state.rawValue)
        }
    }

    /// Creates a specification.
    package init(url: String, session: String? = nil, states: Set<State> = Set(State.allCases)) {
        self.url = url
        self.session = session
        self.states = states
    }

    /// The specification as it is stored and shown: a JSON object.
    package var document: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("url")
        writer.string(url)
        writer.member("session")
        if let session { writer.string(session) } else { writer.null() }
        writer.member("states")
        writer.beginArray()
        for state in State.allCases where states.contains(state) { writer.string(state.rawValue) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Reads back what ``document`` has made; `nil` when that is damaged.
    init?(document: [UInt8]) {
        guard let object = (try? JSONDocument.parse(document))?.root.object, let url = object["url"]?.string,
            let states = object["states"]?.array
        else { return nil }
        self.init(
            url: url, session: object["session"]?.string,
            states: Set(states.compactMap { $0.string.flatMap(State.init) }))
    }
}
