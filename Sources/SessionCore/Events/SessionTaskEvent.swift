public import Authentication
public import Transfer

/// What happens to one task of a session, in the order in which it happens.
public enum SessionTaskEvent: Sendable {
    /// It goes on: it was suspended before, as every task is at first.
    case resumed
    /// It stands still.
    case suspended
    /// A redirect is followed.
    case redirected(from: HTTPURL, to: HTTPURL, status: Int)
    /// The upstream asked who sends the request, and it is sent again with an answer to that.
    case challenged(HTTPURL)
    /// The head of the response has come.
    case responded(ResponseHead)
    /// Content has gone or come.
    ///
    /// At most ten times a second, and at the end of each hop.
    case progress(TransferProgress)
    /// An attempt has ended, and this was measured of it.
    case measured(TransferMetrics)
    /// It is over.
    ///
    /// Nothing follows.
    case completed(SessionOutcome)
}

extension SessionTaskEvent: RedactedReflection {
    /// What has happened, without queries and header fields: either may hold secrets.
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
