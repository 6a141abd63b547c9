/// A reason for which tasks wait, as a filter.
package enum TaskHold: Sendable, Hashable {
    /// The content of their requests has not arrived.
    case content
    /// An earlier task with their ordering key is not done.
    case ordering
    /// A reason that the queued tasks of a session share, by its name.
    ///
    /// It is not stored: a store finds the tasks that no earlier task blocks. The sessions that have the reason are a
    /// filter of their own.
    case session(String)

    /// The states that the tasks can have.
    package var states: Set<TaskState> {
        switch self {
        case .content: [.scheduled, .suspended]
        case .ordering, .session: [.queued]
        }
    }

    /// The name.
    package var name: String {
        switch self {
        case .content: "content"
        case .ordering: "ordering"
        case .session(let name): name
        }
    }
}
