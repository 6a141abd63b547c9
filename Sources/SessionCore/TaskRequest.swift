public import RequestSerialization
public import ResponseSerialization

/// What somebody wants a session to request: a path and what goes with it, before any rule of the session is applied.
public struct TaskRequest: Sendable {
    /// The method in any case; `nil` for POST where there is a ``body`` and GET otherwise.
    public var method: String?
    /// A reference that is resolved against the session's base URL (RFC 3986 §5.2), or an absolute URL.
    public var path: String
    /// One JSON value, as text in UTF-8, for the request serializer.
    ///
    /// Excludes ``body``.
    public var parameters: [UInt8]?
    /// Header fields on top of the session's, in this order.
    public var headers: [TaskHeader]
    /// Content that is sent as it is.
    ///
    /// Excludes ``parameters``.
    public var body: TaskBody?
    /// What turns ``parameters`` into content; `nil` for the session's choice.
    public var requestSerializer: RequestSerializerKind?
    /// What reads the response; `nil` for the session's choice.
    public var responseSerializer: ResponseSerializerChoice?
    /// Limits of time that replace the session's, each where it is not `nil`.
    public var timeouts: TaskTimeouts
    /// The key by which its owner's wish is known when it comes again; sent on as `Idempotency-Key` where the session
    /// says so (``SessionConfiguration/forwardsIdempotencyKey``) and ``headers`` has none.
    public var idempotencyKey: String?
    /// Whether redirects are followed where the session follows them.
    ///
    /// Default: `true`.
    public var followsRedirects: Bool

    /// Creates a request; all but the path is left to the session by default.
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

/// Limits of time of a task; `nil` for the session's.
public struct TaskTimeouts: Sendable, Hashable {
    /// Name lookup, connection and TLS handshake together.
    public var connect: Duration?
    /// The longest time without a byte in either direction.
    public var idle: Duration?
    /// From the start of an attempt to its last byte.
    public var total: Duration?

    /// Creates limits; all the session's by default.
    public init(connect: Duration? = nil, idle: Duration? = nil, total: Duration? = nil) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}
