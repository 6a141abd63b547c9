package import ErrandJSON

/// The reason why a client's task is refused.
package enum TaskRejection: Error, Sendable {
    /// The document is not JSON.
    case malformed(JSONSyntaxError)
    /// The document has errors; all of them.
    case invalid([JSONProblem])
    /// The client must not use the session that it names; `nil` for the default session.
    case forbidden(String?)
}
