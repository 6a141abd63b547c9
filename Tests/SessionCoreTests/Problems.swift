import SessionCore

/// The problems that preparing `request` finds; empty when there are none.
func problems(_ request: TaskRequest, in configuration: SessionConfiguration) -> [RequestProblem] {
    do throws(RequestProblems) {
        _ = try prepare(request, in: configuration)
        return []
    } catch {
        return error.problems
    }
}

/// `request` as the session prepares it.
func prepare(
    _ request: TaskRequest, in configuration: SessionConfiguration
) throws(RequestProblems) -> PreparedRequest {
    try Session(configuration, transport: UnusedTransport()).prepare(request)
}
