import ErrandHTTPServer
import ErrandJSON
import ErrandTaskEngine

/// The responses to rejected documents.
extension TaskRejection {
    /// The maximum length of a pointer or a detail in bytes: both may quote the document.
    private static let textLimit = 512

    /// Returns the rejection as the problem for a response.
    ///
    /// - Parameter type: The problem type of an invalid document.
    func problem(_ type: ProblemType = .invalidTask) -> ProblemDetails {
        switch self {
        case .malformed(let error):
            ProblemDetails(.malformedJSON, detail: reason, members: Self.members(of: error.position))
        case .tooDeep(let position, _):
            ProblemDetails(.jsonTooDeep, detail: reason, members: Self.members(of: position))
        case .invalid(let problems):
            ProblemDetails(
                type,
                detail: problems.count == 1
                    ? "the document has an error" : "the document has \(problems.count) errors",
                errors: problems.map {
                    ProblemDetails.InputFault(
                        pointer: $0.pointer.text(limit: Self.textLimit),
                        detail: $0.detail.shortened(toBytes: Self.textLimit))
                }
            ).withFirstErrors
        case .forbidden(let session):
            ProblemDetails(
                .sessionForbidden,
                detail: session.map { "the token must not use the session \"\($0)\"" }
                    ?? "the token must not use the default session")
        }
    }

    private static func members(of position: JSONPosition) -> [ProblemDetails.Member] {
        [
            ProblemDetails.Member("line", .integer(position.line)),
            ProblemDetails.Member("column", .integer(position.column)),
        ]
    }

    /// Returns the rejection as the response to a request.
    ///
    /// - Parameter type: The problem type of an invalid document.
    @inline(never)
    func response(to head: RequestHead, type: ProblemType = .invalidTask) -> ServerResponse {
        head.response(problem(type))
    }
}
