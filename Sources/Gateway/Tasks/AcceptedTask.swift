import HTTPServer
import JSON
import SessionCore

/// A task that a client may create: judged, and its request prepared.
struct AcceptedTask: Sendable {
    var session: String
    var priority: Int
    var labels: [String: String]
    var prepared: PreparedRequest
}

/// Why a client's document is no task.
enum TaskRejection: Error, Sendable {
    /// It is not JSON.
    case malformed(JSONSyntaxError)
    /// It is JSON with faults: all of them.
    case invalid([JSONProblem])

    /// The rejection as the answer to the request that brought the document.
    func answer(to head: RequestHead) -> ServerResponse {
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
                .invalidTask,
                problems.count == 1 ? "the task has a fault" : "the task has \(problems.count) faults",
                errors: problems.map {
                    ProblemDetails.InputFault(pointer: $0.pointer.description, detail: $0.detail)
                })
        }
    }
}
