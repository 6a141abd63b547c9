public import ErrandAuthentication
public import ErrandTransfer

/// An event of one task of a session; events come in the order of their occurrence.
public enum SessionTaskEvent: Sendable {
    /// The task was resumed; every task is suspended at first.
    case resumed
    /// The task was suspended.
    case suspended
    /// A redirect is followed.
    case redirected(from: HTTPURL, to: HTTPURL, status: Int)
    /// The upstream challenged the request, which is resent with an answer.
    case challenged(HTTPURL)
    /// The head of the response was received.
    case responded(ResponseHead)
    /// Content was sent or received.
    ///
    /// At most ten times a second, and at the end of each hop. This limit delays an event and does not drop the newest
    /// one: when no more bytes come, an event with the last numbers follows within about a fifth of a second.
    case progress(TransferProgress)
    /// An attempt has ended with these metrics.
    case measured(TransferMetrics)
    /// The task has ended.
    ///
    /// This is the last event. Among the events of a session (``Session/events``) its outcome has no content.
    case completed(SessionOutcome)

    /// The event for the listeners of a session: without the content of the task.
    ///
    /// A slow listener would otherwise keep that of a thousand tasks in memory.
    var withoutContent: SessionTaskEvent {
        guard case .completed(let outcome) = self else { return self }
        return .completed(outcome.withoutContent)
    }
}

extension SessionTaskEvent: RedactedReflection {
    /// The event without queries and header fields, as either may contain secrets.
    public var description: String {
        switch self {
        case .resumed: "resumed"
        case .suspended: "suspended"
        case .redirected(let from, let to, let status):
            "redirected by \(status) from \(from.origin)\(from.path) to \(to.origin)\(to.path)"
        case .challenged(let url): "challenged by \(url.origin)\(url.path)"
        case .responded(let head): "responded with \(head.status)"
        case .progress(let progress): "sent \(progress.sent) and received \(progress.received) bytes"
        case .measured(let metrics): "took \(metrics.total)"
        case .completed(let outcome): outcome.error.map { "failed: \($0)" } ?? "succeeded"
        }
    }
}
