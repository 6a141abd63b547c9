import ErrandHTTPGrammar

/// The parts of a request that most requests lack: hooks, and rules that replace those of the session.
///
/// A reference, so that a request without them is hardly larger.
final class RequestExtras: Sendable {
    let hooks: SessionHooks.Parts
    /// The statuses of success; `nil` for the session's.
    let acceptableStatuses: StatusSet?
    /// The acceptable content types; `nil` for the session's.
    let acceptableContentTypes: [MediaRange]?
    /// The redirects that are followed; `nil` for the session's.
    let redirects: RedirectPolicy?
    /// The maximum number of content bytes; `nil` for the session's.
    let maxBodyBytes: Int64?
    /// The handler of progress; `nil` for none.
    let progress: ProgressHandler?

    init(
        _ hooks: SessionHooks.Parts, acceptableStatuses: StatusSet? = nil,
        acceptableContentTypes: [MediaRange]? = nil, redirects: RedirectPolicy? = nil, maxBodyBytes: Int64? = nil,
        progress: ProgressHandler? = nil
    ) {
        self.hooks = hooks
        self.acceptableStatuses = acceptableStatuses
        self.acceptableContentTypes = acceptableContentTypes
        self.redirects = redirects
        self.maxBodyBytes = maxBodyBytes
        self.progress = progress
    }

    /// Changes the session's rules for the request.
    func apply(to configuration: inout ResponseConfiguration) {
        if let acceptableStatuses { configuration.acceptableStatuses = acceptableStatuses }
        if let acceptableContentTypes { configuration.acceptableContentTypes = acceptableContentTypes }
    }
}
