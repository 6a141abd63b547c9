/// What an operator has done to a session, which outlives the process.
package struct SessionMark: Sendable, Hashable {
    /// The name of the session.
    package var name: String
    /// Nothing of it is to be started until an operator resumes it.
    package var isSuspended: Bool
    /// It takes no task any more.
    package var isClosed: Bool

    /// Creates a mark; without a flag it says that there is nothing to remember.
    package init(name: String, isSuspended: Bool = false, isClosed: Bool = false) {
        self.name = name
        self.isSuspended = isSuspended
        self.isClosed = isClosed
    }

    /// There is nothing to remember of the session.
    package var isBlank: Bool { !isSuspended && !isClosed }
}
