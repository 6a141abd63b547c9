import HTTPServer

extension Endpoint {
    /// The longest that an answer is held back, in seconds.
    static let maxSeconds: Int64 = 3600

    /// `/delay/SECONDS`: nothing for a time, then the request without its content, told back.
    static func delay(clock: some Clock<Duration>) -> Endpoint {
        Endpoint(
            nil, "/delay/{seconds}", summary: "any method: the request as JSON after up to 3600 seconds, such as 0.25"
        ) { head, parameters throws(ProblemDetails) in
            let delay = try Arguments(head, parameters).seconds("seconds", upTo: maxSeconds)
            return .bodyless {
                do {
                    try await clock.sleep(for: delay)
                } catch {
                    // Only the end of the task ends the wait early: the client has left, or the server stops.
                    return ProblemDetails(.stopping).response()
                }
                return .json { RequestDescription(head).write(to: &$0) }
            }
        }
    }
}
