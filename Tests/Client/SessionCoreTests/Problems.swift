import ErrandSessionCore

/// Returns the problems that preparing `request` finds; empty without any.
func problems(_ request: TaskRequest, in configuration: SessionConfiguration) -> [RequestProblem] {
    do throws(RequestProblems) {
        _ = try prepare(request, in: configuration)
        return []
    } catch {
        return error.problems
    }
}

/// Returns `request` as prepared by the session.
func prepare(
    _ request: TaskRequest, in configuration: SessionConfiguration
) throws(RequestProblems) -> PreparedRequest {
    try Session(configuration, transport: UnusedTransport()).prepare(request)
}
