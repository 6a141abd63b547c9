public import ErrandHTTPGrammar
public import ErrandRequestSerialization
public import ErrandResponseSerialization
public import ErrandSessionCore

/// Options of one request that replace those of its session, and its hooks.
///
/// | option | default |
/// | --- | --- |
/// | ``requestSerializer`` | ``RequestConfiguration/serializer`` |
/// | ``responseSerializer`` | ``ResponseConfiguration/serializer`` |
/// | ``timeouts`` | ``SessionConfiguration/timeouts`` |
/// | ``acceptableStatuses`` | ``ResponseConfiguration/acceptableStatuses`` |
/// | ``acceptableContentTypes`` | ``ResponseConfiguration/acceptableContentTypes`` |
/// | ``redirects`` | ``SessionConfiguration/redirects`` |
/// | ``priority`` | none is sent |
/// | ``hooks`` | those of the session only |
/// | ``progress`` | no reports |
public struct RequestOptions: Sendable, Hashable {
    /// The serializer of the parameters; `nil` for the session's.
    public var requestSerializer: RequestSerializerKind?
    /// The serializer of the response; `nil` for the session's.
    public var responseSerializer: ResponseSerializerChoice?
    /// Timeouts, each of which replaces the session's unless it is `nil`.
    ///
    /// One of zero or less fails with ``SessionErrorCode/unserializableParameters``.
    public var timeouts: TaskTimeouts
    /// The statuses of success; `nil` for the session's.
    public var acceptableStatuses: StatusSet?
    /// The acceptable content types; `nil` for the session's.
    public var acceptableContentTypes: [MediaRange]?
    /// The redirects that are followed; `nil` for the session's policy.
    public var redirects: RedirectPolicy?
    /// The priority that is sent to the upstream, unless a header field sets it; `nil` for none.
    public var priority: RequestPriority?
    /// Hooks and serializers in addition to those of the session.
    public var hooks: SessionHooks
    /// The handler of the progress in both directions; `nil` for none.
    public var progress: ProgressHandler?

    /// Creates options; by default those of the session apply.
    ///
    /// ```swift
    /// let options = RequestOptions(progress: { print($0.upload.completed, $0.download.fraction ?? 0) })
    /// ```
    ///
    /// Each parameter sets the property of its name; `progress` is the function of the handler.
    public init(
        requestSerializer: RequestSerializerKind? = nil, responseSerializer: ResponseSerializerChoice? = nil,
        timeouts: TaskTimeouts = TaskTimeouts(), acceptableStatuses: StatusSet? = nil,
        acceptableContentTypes: [MediaRange]? = nil, redirects: RedirectPolicy? = nil,
        priority: RequestPriority? = nil, hooks: SessionHooks = SessionHooks(),
        progress: (@Sendable (ProgressReport) -> Void)? = nil
    ) {
        self.requestSerializer = requestSerializer
        self.responseSerializer = responseSerializer
        self.timeouts = timeouts
        self.acceptableStatuses = acceptableStatuses
        self.acceptableContentTypes = acceptableContentTypes
        self.redirects = redirects
        self.priority = priority
        self.hooks = hooks
        if let progress { self.progress = ProgressHandler(progress) }
    }
}
