/// An event of a session.
public enum SessionEvent: Sendable {
    /// An event of a task.
    case task(id: SessionTaskID, SessionTaskEvent)
    /// The reachability of the upstream has changed.
    case reachability(Reachability)
    /// The session was invalidated, and its last task has ended.
    ///
    /// This is the last event.
    case invalidated
}

/// The number of a task in its session, counted from 1.
public struct SessionTaskID: Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let number: Int

    /// Creates an identifier from its number.
    public init(number: Int) {
        self.number = number
    }

    /// The number as text.
    public var description: String { "\(number)" }
}
