public import Authentication
public import Egress
public import HTTPTypes
public import Transfer

/// How one session talks to its upstream: a value, complete with defaults, that a file or a program fills.
///
/// | setting | default |
/// | --- | --- |
/// | ``baseURL`` | none: each task names an absolute URL |
/// | ``urlScope`` | ``URLScope/origin`` |
/// | ``headers`` | none |
/// | ``userAgent`` | ``defaultUserAgent`` |
/// | ``allowedMethods`` | GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS |
/// | ``credentials`` | none |
/// | ``redirects`` | up to 16 are followed |
/// | ``cookies`` | ``CookiePolicy/ephemeral`` |
/// | ``egress`` | only the base URL's own host may have a private address |
/// | ``timeouts`` | connect 10 s, idle 60 s, total 1 h |
/// | ``suspendedKeep`` | 60 s |
/// | ``reachability`` | from the session's own transfers |
public struct SessionConfiguration: Sendable, Hashable {
    /// The name that tasks refer to the session by.
    public var name: String
    /// What the paths of tasks are resolved against (RFC 3986 §5.2).
    ///
    /// A path that does not end in a slash is taken as if it did: below `http://e.com/v1`, `users` is
    /// `http://e.com/v1/users`.
    public var baseURL: HTTPURL?
    /// How far from the base URL a task may go.
    ///
    /// Without a base URL it may go anywhere.
    public var urlScope: URLScope
    /// Header fields of every request, unless a task replaces or removes them.
    ///
    /// A request that leaves the origin of the base URL (``URLScope/any``) goes without them. They are sent anywhere
    /// when there is no base URL, as nothing is then the session's own. What ``RequestHeaderRules`` refuses does not
    /// belong here either.
    public var headers: HTTPFields
    /// The `User-Agent` of every request, unless ``headers`` or a task has one; `nil` for none.
    public var userAgent: String?
    /// What the session proves to its upstream that it may ask.
    ///
    /// Only ever sent to the origin of the base URL, and not after a redirect has left it; without a base URL to nobody.
    public var credentials: Credentials?
    /// The methods that tasks may use, in upper case.
    public var allowedMethods: [HTTPRequest.Method]
    /// How requests are made.
    public var request: RequestConfiguration
    /// How responses are judged and read.
    public var response: ResponseConfiguration
    /// Which redirects are followed.
    public var redirects: RedirectPolicy
    /// What is done with cookies.
    public var cookies: CookiePolicy
    /// How connections are made and kept.
    ///
    /// What may be dialled is said by ``egress``.
    public var connection: ConnectionOptions
    /// Which addresses may be dialled.
    public var egress: EgressPolicy
    /// Offer the content codings that the transport can decode, and decode what comes.
    public var acceptsCompression: Bool
    /// The limits of time of one attempt, redirects included; time spent suspended counts for none of them.
    public var timeouts: TransferTimeouts
    /// How long a suspended task keeps its connection; `nil` for ever.
    public var suspendedKeep: Duration?
    /// How much the session does at a time.
    public var limits: SessionLimits
    /// When an attempt that has failed is made again, and how often.
    ///
    /// It is for whoever keeps tasks: ``Session`` makes one attempt.
    public var retry: RetryConfiguration
    /// When the session stops asking an upstream that only fails; for whoever keeps tasks.
    public var circuitBreaker: CircuitBreakerConfiguration
    /// Send the key by which a client's request is known when it comes again, as `Idempotency-Key`.
    public var forwardsIdempotencyKey: Bool
    /// How the session finds out whether its upstream can be reached.
    public var reachability: ReachabilityConfiguration

    /// Creates a configuration; everything but its name and its base URL has the default.
    public init(name: String, baseURL: HTTPURL? = nil) {
        self.name = name
        self.baseURL = baseURL
        urlScope = .origin
        headers = [:]
        userAgent = Self.defaultUserAgent
        allowedMethods = Self.defaultMethods
        request = RequestConfiguration()
        response = ResponseConfiguration()
        redirects = RedirectPolicy()
        cookies = .ephemeral
        connection = ConnectionOptions()
        egress = EgressPolicy()
        acceptsCompression = true
        timeouts = Self.defaultTimeouts
        suspendedKeep = Self.defaultSuspendedKeep
        limits = SessionLimits()
        retry = RetryConfiguration()
        circuitBreaker = CircuitBreakerConfiguration()
        forwardsIdempotencyKey = false
        reachability = ReachabilityConfiguration()
    }

    /// The product and the version of its interface, as RFC 9110 §10.1.5 wants them.
    public static let defaultUserAgent = "errand/1.0"

    /// The methods that ``allowedMethods`` begins with.
    public static let defaultMethods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]

    /// 60 s.
    public static let defaultSuspendedKeep = Duration.seconds(60)

    /// Connect 10 s, idle 60 s, total 1 h.
    public static let defaultTimeouts = TransferTimeouts(
        connect: .seconds(10), idle: .seconds(60), total: .seconds(3600))
}
