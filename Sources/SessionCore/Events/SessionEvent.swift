/// What happens in a session.
public enum SessionEvent: Sendable {
    /// Something has happened to a task.
    case task(id: SessionTaskID, SessionTaskEvent)
    /// Whether the upstream can be reached has turned out to be otherwise.
    case reachability(Reachability)
    /// The session was invalidated, and its last task has ended.
    ///
    /// Nothing follows.
    case invalidated
}

/// The number of a task in its session, counted from 1.
public struct SessionTaskID: Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let number: Int

    /// The number as text.
    public var description: String { "\(number)" }
}
