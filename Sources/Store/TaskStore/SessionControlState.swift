/// The control state of a session, which an operator sets and which outlives the process.
package struct SessionControlState: Sendable, Hashable {
    /// The name of the session.
    package var name: String
    /// True if no task of the session may start until an operator resumes it.
    package var isSuspended: Bool
    /// True if the session accepts no more tasks.
    package var isClosed: Bool

    /// Creates a control state.
    ///
    /// Without a flag it is blank.
    package init(name: String, isSuspended: Bool = false, isClosed: Bool = false) {
        self.name = name
        self.isSuspended = isSuspended
        self.isClosed = isClosed
    }

    /// True if no flag is set, so that nothing needs to be stored.
    package var isBlank: Bool { !isSuspended && !isClosed }
}
