import HTTPServer
package import JSON

/// Why a client's document is no task.
package enum TaskRejection: Error, Sendable {
    /// It is not JSON.
    case malformed(JSONSyntaxError)
    /// It is JSON with faults: all of them.
    case invalid([JSONProblem])
    /// The client must not use the session that it names; `nil` for the default one.
    case forbidden(String?)

    /// The rejection as the problem that the answer to the document is.
    ///
    /// - Parameter type: The kind of problem that faults are.
    func problem(_ type: ProblemType = .invalidTask) -> ProblemDetails {
        switch self {
        case .malformed(let error):
            ProblemDetails(
                .malformedJSON, detail: error.description,
                members: [
                    ProblemDetails.Member("line", .integer(error.position.line)),
                    ProblemDetails.Member("column", .integer(error.position.column)),
                ])
        case .invalid(let problems):
            ProblemDetails(
                type,
                detail: problems.count == 1
                    ? "the document has a fault" : "the document has \(problems.count) faults",
                errors: problems.map {
                    ProblemDetails.InputFault(pointer: $0.pointer.description, detail: $0.detail)
                })
        case .forbidden(let session):
            ProblemDetails(
                .sessionForbidden,
                detail: session.map { "the token must not use the session \"\($0)\"" }
                    ?? "the token must not use the default session")
        }
    }

    /// The rejection as the answer to the request that brought the document.
    ///
    /// - Parameter type: The kind of problem that faults are.
    func answer(to head: RequestHead, type: ProblemType = .invalidTask) -> ServerResponse {
        head.answer(problem(type))
    }
}
