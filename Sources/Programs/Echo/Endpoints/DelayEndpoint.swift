import ErrandHTTPServer
import ErrandTime

extension Endpoint {
    /// The maximum delay of a response, in seconds.
    static let maxSeconds: Int64 = 3600

    /// `/delay/SECONDS`: waits, then returns the request without its content as JSON.
    static func delay(clock: some Clock<Duration>) -> Endpoint {
        Endpoint(
            nil, "/delay/{seconds}", summary: "any method: the request as JSON after up to 3600 seconds, such as 0.25"
        ) { head, parameters throws(ProblemDetails) in
            let delay = try Arguments(head, parameters).seconds("seconds", upTo: maxSeconds)
            return .deferred {
                do {
                    try await clock.boundedSleep(for: delay)
                } catch {
                    // The wait is canceled only when the client disconnects or the server stops.
                    return ProblemDetails(.stopping).response()
                }
                return .json { RequestDescription(head).write(to: &$0) }
            }
        }
    }
}
