import ErrandHTTPServer
import ErrandTaskEngine
import ErrandTime
import HTTPTypes

/// The responses to tasks that are not created.
extension TaskCreationOutcome.Refusal {
    /// The refusal as the problem for a response.
    var problem: ProblemDetails {
        switch self {
        case .keyInUse:
            ProblemDetails(.idempotencyKeyInUse, detail: "the first request with the key is still being processed")
        case .keyReused:
            ProblemDetails(.idempotencyKeyReused, detail: "the key was used before for a task with other content")
        case .keyOfHiddenTask:
            ProblemDetails(.sessionForbidden, detail: "the token must not use the session of the key's task")
        case .unfinished(let record):
            ProblemDetails(.wrongState, detail: TaskAction.retry.refusal(of: record))
        case .alreadyRetried:
            ProblemDetails(.wrongState, detail: "the task was already retried")
        case .rejected(let rejection):
            rejection.problem()
        case .sessionClosed(let session):
            ProblemDetails(
                .sessionClosed,
                detail: """
                    the session \(session) was closed by an operator; POST /v1/sessions/\(session)/invalidate with \
                    {"reset": true} opens it again
                    """)
        case .queueFull(let session, _):
            ProblemDetails(.queueFull, detail: "the queue of the session \(session) is full (limits.max_queued)")
        case .stopping:
            ProblemDetails(.stopping, detail: "the gateway is stopping and accepts no more tasks; nothing was stored")
        }
    }

    /// The refusal as the problem of an item of a batch, which has no header fields of its own.
    var itemProblem: ProblemDetails {
        guard let seconds = retryAfterSeconds else { return problem }
        return problem.retryable(afterSeconds: seconds)
    }

    /// Returns the refusal as a response.
    @inline(never)
    func response(to head: RequestHead) -> ServerResponse {
        head.response(problem, headers: retryAfterHeader)
    }

    /// `Retry-After` if another try may succeed.
    var retryAfterHeader: HTTPFields { retryAfterSeconds.map { [.retryAfter: "\($0)"] } ?? [:] }

    /// The seconds after which a client may ask again when the gateway stops: the time of a short drain and a start.
    static let secondsToSuccessor = 5

    /// The seconds after which another try may succeed; `nil` if none will.
    var retryAfterSeconds: Int? {
        switch self {
        case .keyInUse: 1
        case .queueFull(_, let pause): Int(max(pause.wholeSecondsRoundedUp, 1))
        case .stopping: Self.secondsToSuccessor
        case .keyReused, .keyOfHiddenTask, .unfinished, .alreadyRetried, .rejected, .sessionClosed: nil
        }
    }
}

extension ProblemDetails {
    /// Returns the problem of an item of a batch with the member `retry_after`, which stands for `Retry-After`.
    ///
    /// - Parameter seconds: The time after which another try may succeed.
    func retryable(afterSeconds seconds: Int) -> ProblemDetails {
        var problem = self
        problem.members.append(ProblemDetails.Member("retry_after", .integer(seconds)))
        return problem
    }
}
