import ErrandJSON
import ErrandTaskStore

/// A task's request for callbacks about its end.
package struct CallbackSpecification: Sendable, Hashable {
    /// The URL that the message is posted to: absolute, or relative to the base URL of ``session``.
    package var url: String
    /// The session that sends it; `nil` for the built-in session.
    package var session: String?
    /// The terminal states that cause a callback.
    package var states: Set<State>

    /// A terminal state.
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// The task has succeeded.
        case succeeded
        /// The task has failed.
        case failed
        /// The task was canceled.
        case canceled

        /// Creates a terminal state from a task's state; `nil` for a task that has not ended.
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
        writer.member("url", url)
        writer.member("session", session)
        writer.member("states")
        writer.beginArray()
        for state in State.allCases where states.contains(state) { writer.string(state.rawValue) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Decodes a stored ``document``; `nil` if it is damaged.
    init?(document: [UInt8]) {
        guard let object = JSONObject(stored: document), let url = object["url"]?.string,
            let states = object["states"]?.array
        else { return nil }
        self.init(
            url: url, session: object["session"]?.string,
            states: Set(states.compactMap { $0.string.flatMap(State.init) }))
    }
}
