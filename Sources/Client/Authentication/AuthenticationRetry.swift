/// The reaction to a 401 response.
public enum AuthenticationRetry: Sendable, Hashable {
    /// Authorizes the request again and resends it.
    case retry
    /// Returns the response to the caller.
    ///
    /// - Parameter reason: The reason for users: one sentence without a full stop and without secrets; `nil` if
    ///   credentials of this kind do not respond to challenges.
    case giveUp(reason: String?)
}
