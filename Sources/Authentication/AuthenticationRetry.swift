/// What a 401 means for the request that it answers.
public enum AuthenticationRetry: Sendable, Hashable {
    /// Authorize the request anew and send it again.
    case retry
    /// The response stands as it is.
    ///
    /// - Parameter reason: Why there is nothing more to try, for people: one sentence without a full stop and without
    ///   secrets; `nil` where the credentials have no answer to a challenge.
    case giveUp(reason: String?)
}
