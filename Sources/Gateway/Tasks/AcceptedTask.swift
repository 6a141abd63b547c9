import HTTPServer
import JSON
import SessionCore

/// A task that a client may create: judged, and its request prepared.
struct AcceptedTask: Sendable {
    var session: String
    var priority: Int
    var labels: [String: String]
    /// It waits for a client to let it go.
    var startsSuspended: Bool
    var prepared: PreparedRequest
}

/// Why a client's document is no task.
enum TaskRejection: Error, Sendable {
    /// It is not JSON.
    case malformed(JSONSyntaxError)
    /// It is JSON with faults: all of them.
    case invalid([JSONProblem])

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
        }
    }
}
