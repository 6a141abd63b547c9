public import ErrandHTTPGrammar
public import ErrandRequestSerialization
public import ErrandResponseSerialization

/// A request of a client to a session: a path and its options, before the session's rules are applied.
public struct TaskRequest: Sendable {
    /// The method in any case; `nil` for POST with a ``body`` and GET otherwise.
    public var method: String?
    /// A reference that is resolved against the session's base URL (RFC 3986 §5.2), or an absolute URL.
    public var path: String
    /// One JSON value, as text in UTF-8, for the request serializer.
    ///
    /// Mutually exclusive with ``body``.
    public var parameters: [UInt8]?
    /// Header fields in addition to the session's, in this order.
    ///
    /// A redirect to another origin drops those whose names tell that they carry a secret, such as `Authorization` or
    /// `X-Api-Key`.
    public var headers: [TaskHeader]
    /// Content that is sent as it is.
    ///
    /// Mutually exclusive with ``parameters``.
    public var body: TaskBody?
    /// The serializer of ``parameters``; `nil` for the session's.
    public var requestSerializer: RequestSerializerKind?
    /// The serializer of the response; `nil` for the session's.
    public var responseSerializer: ResponseSerializerChoice?
    /// Timeouts, each of which replaces the session's unless it is `nil`.
    ///
    /// One of zero or less fails with ``SessionErrorCode/unserializableParameters``.
    public var timeouts: TaskTimeouts
    /// The client's idempotency key; not sent unless the session forwards it.
    ///
    /// Sent as `Idempotency-Key` if ``SessionConfiguration/forwardsIdempotencyKey`` is set and ``headers`` has none. In
    /// a program, set the header field instead.
    public var idempotencyKey: String?
    /// True if redirects are followed as the session's policy allows.
    ///
    /// Default: `true`.
    public var followsRedirects: Bool
    /// True if only the status of the response decides about success.
    ///
    /// Its content then does not matter, even if incomplete; at most 64 KiB of it are read. Default: `false`.
    public var isJudgedByStatus: Bool
    /// The statuses of success; `nil` for the session's.
    ///
    /// Default: `nil`.
    public var acceptableStatuses: StatusSet?
    /// The acceptable content types; `nil` for the session's.
    ///
    /// Default: `nil`.
    public var acceptableContentTypes: [MediaRange]?
    /// The redirects that are followed, unless ``followsRedirects`` is false; `nil` for the session's policy.
    ///
    /// Default: `nil`.
    public var redirects: RedirectPolicy?
    /// The hooks and serializers of the request, in addition to the session's.
    ///
    /// Default: none.
    public var hooks: SessionHooks
    /// The handler of the progress in both directions; `nil` for none.
    ///
    /// Default: `nil`.
    public var progress: ProgressHandler?
    /// The maximum number of content bytes; `nil` for the session's (``ResponseConfiguration/Disposition``).
    package var maxBodyBytes: Int64?
    /// False if the content is sent as it is also by a session that compresses.
    package var mayCompress = true

    /// Creates a request; by default the session decides everything but the path.
    public init(
        method: String? = nil, path: String = "", parameters: [UInt8]? = nil, headers: [TaskHeader] = [],
        body: TaskBody? = nil, requestSerializer: RequestSerializerKind? = nil,
        responseSerializer: ResponseSerializerChoice? = nil, timeouts: TaskTimeouts = TaskTimeouts(),
        idempotencyKey: String? = nil
    ) {
        self.method = method
        self.path = path
        self.parameters = parameters
        self.headers = headers
        self.body = body
        self.requestSerializer = requestSerializer
        self.responseSerializer = responseSerializer
        self.timeouts = timeouts
        self.idempotencyKey = idempotencyKey
        followsRedirects = true
        isJudgedByStatus = false
        hooks = SessionHooks()
    }
}

/// A header field of a task.
public struct TaskHeader: Sendable, Hashable {
    /// The name, in any case.
    public var name: String
    /// The value, or `nil` to remove the session's default of that name.
    public var value: String?

    /// Creates a header field.
    public init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }
}

/// The timeouts of a task; `nil` for the session's.
///
/// A request with a timeout of zero or less is not sent: it fails with ``SessionErrorCode/unserializableParameters``.
public struct TaskTimeouts: Sendable, Hashable {
    /// Name lookup, connection and TLS handshake together.
    public var connect: Duration?
    /// The longest time without a byte in either direction.
    public var idle: Duration?
    /// The time from the start of an attempt to its last byte.
    public var total: Duration?

    /// Creates timeouts; by default the session's.
    public init(connect: Duration? = nil, idle: Duration? = nil, total: Duration? = nil) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}
