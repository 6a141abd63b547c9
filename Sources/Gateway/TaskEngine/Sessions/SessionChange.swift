package import ErrandSessionCore
package import ErrandTaskAdmission

/// A change of a session, made by an operator or caused by its upstream.
package enum SessionChange: Sendable, Hashable {
    /// The reachability of the upstream has changed.
    case reachability(Reachability)
    /// The circuit has opened or closed.
    case circuit(CircuitBreaker.Change)
    /// An operator has suspended the session.
    case suspended
    /// An operator has resumed the session.
    case resumed
    /// An operator has closed the session or replaced its session object. Its tasks may still have to be canceled.
    case invalidated(SessionOperations.Invalidation)
}
