import HTTPServer
package import JSON
package import SessionCore

/// A task that a client may create: judged, and its request prepared.
package struct AcceptedTask: Sendable {
    /// The name of the session that has prepared it.
    package let session: String
    var priority: Int
    var labels: [String: String]
    /// It waits for a client to let it go.
    var startsSuspended: Bool
    /// What the session will send.
    package let prepared: PreparedRequest
}

/// Why a client's document is no task.
package enum TaskRejection: Error, Sendable {
    /// It is not JSON.
    case malformed(JSONSyntaxError)
    /// It is JSON with faults: all of them.
    case invalid([JSONProblem])
    /// The client must not use the session that it names; `nil` for the default one.
    case forbidden(String?)

    /// The rejection as the answer to the request that brought the document.
    ///
    /// - Parameter type: The kind of problem that faults are.
    func answer(to head: RequestHead, type: ProblemType = .invalidTask) -> ServerResponse {
        switch self {
        case .malformed(let error):
            head.answer(
                .malformedJSON, error.description,
                members: [
                    ProblemDetails.Member("line", .integer(error.position.line)),
                    ProblemDetails.Member("column", .integer(error.position.column)),
                ])
        case .invalid(let problems):
            head.answer(
                type,
                problems.count == 1 ? "the document has a fault" : "the document has \(problems.count) faults",
                errors: problems.map {
                    ProblemDetails.InputFault(pointer: $0.pointer.description, detail: $0.detail)
                })
        case .forbidden(let session):
            head.answer(
                .sessionForbidden,
                session.map { "the token must not use the session \"\($0)\"" }
                    ?? "the token must not use the default session")
        }
    }
}
