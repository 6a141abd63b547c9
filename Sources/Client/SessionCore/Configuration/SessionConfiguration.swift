public import ErrandAuthentication
public import ErrandEgress
public import ErrandTransfer
public import HTTPTypes

/// The configuration of a session: a value in which everything but the name has a default.
///
/// | setting | default |
/// | --- | --- |
/// | ``baseURL`` | none: each task names an absolute URL |
/// | ``urlScope`` | ``URLScope/origin`` |
/// | ``headers`` | none |
/// | ``userAgent`` | the name of the program (``defaultUserAgent``) |
/// | ``allowedMethods`` | GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS |
/// | ``credentials`` | none |
/// | ``redirects`` | at most 16 are followed |
/// | ``cookies`` | ``CookiePolicy/ephemeral`` |
/// | ``egress`` | private addresses only for the base URL's own host |
/// | ``timeouts`` | connect 10 s, idle 60 s, total 1 h |
/// | ``suspendedKeep`` | 60 s |
/// | ``reachability`` | from the session's own transfers |
public struct SessionConfiguration: Sendable, Hashable {
    /// The name by which tasks refer to the session.
    public var name: String
    /// The URL against which the paths of tasks are resolved (RFC 3986 §5.2).
    ///
    /// A trailing slash is added to its path if missing: with `http://e.com/v1`, `users` is `http://e.com/v1/users`.
    public var baseURL: HTTPURL?
    /// The URLs that tasks may request, relative to the base URL.
    ///
    /// Without a base URL, tasks may request any URL.
    public var urlScope: URLScope
    /// The header fields of every request, unless a task replaces or removes them.
    ///
    /// They are not sent to other origins than that of the base URL (``URLScope/any``). Without a base URL they are
    /// sent to all, as the session has no origin of its own. ``RequestHeaderRules`` applies here too: with a field that
    /// it refuses, every request has a problem at `headers`.
    public var headers: HTTPFields
    /// The `User-Agent` of every request, unless ``headers`` or a task sets one, or a task removes it; `nil` for none.
    ///
    /// Requests for tokens have it too. Other origins than that of the base URL get it, not that of ``headers``, unless
    /// a task sets or removes the field.
    public var userAgent: String?
    /// The credentials with which the session authenticates to its upstream.
    ///
    /// They are sent only to the origin of the base URL, and no longer after a redirect has left it; without a base URL
    /// they are never sent.
    public var credentials: Credentials?
    /// The methods that tasks may use, in upper case; CONNECT and TRACE are refused all the same.
    public var allowedMethods: [HTTPRequest.Method]
    /// The settings by which requests are created.
    public var request: RequestConfiguration
    /// The settings by which responses are evaluated and read.
    public var response: ResponseConfiguration
    /// The redirects that are followed.
    public var redirects: RedirectPolicy
    /// The handling of cookies.
    public var cookies: CookiePolicy
    /// The options by which connections are opened and reused.
    ///
    /// The permitted addresses are set by ``egress``.
    public var connection: ConnectionOptions
    /// The addresses to which connections may be made.
    public var egress: EgressPolicy
    /// True if the session offers the content codings that the transport supports, and decodes responses.
    public var acceptsCompression: Bool
    /// The timeouts of one attempt, including redirects; time spent suspended does not count.
    ///
    /// They apply to downloads and streams too: a longer one needs another ``TransferTimeouts/total``, or `nil` for no
    /// limit. With one of zero or less, every request has a problem at `timeouts`.
    public var timeouts: TransferTimeouts
    /// The time that a suspended task keeps its connection; `nil` for no limit.
    public var suspendedKeep: Duration?
    /// The limit on the bandwidth.
    public var limits: SessionLimits
    /// The rules by which the owner of a queue of tasks retries failed attempts.
    ///
    /// A program sets the retriers of its ``SessionHooks`` instead, such as a ``BackoffRetrier``.
    package var retry: RetryConfiguration
    /// The rules by which the owner of a queue of tasks pauses requests to an upstream that keeps failing.
    package var circuitBreaker: CircuitBreakerConfiguration
    /// True if the idempotency key of a task (``TaskRequest/idempotencyKey``) is sent as `Idempotency-Key`.
    ///
    /// Default: false.
    public var forwardsIdempotencyKey: Bool
    /// The method by which the session monitors the reachability of its upstream.
    public var reachability: ReachabilityConfiguration

    /// Creates a configuration; everything but the name and base URL has its default.
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

    /// The default of ``userAgent``: the name of the program's executable as a product (RFC 9110 §10.1.5).
    ///
    /// `-` replaces each character that a product cannot contain: a program `/opt/My Importer` is `My-Importer`.
    public static let defaultUserAgent = ProductToken.ofProgram

    /// The default of ``allowedMethods``.
    public static let defaultMethods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]

    /// The default of ``suspendedKeep``: 60 s.
    public static let defaultSuspendedKeep = Duration.seconds(60)

    /// The default of ``timeouts``: connect 10 s, idle 60 s, total 1 h.
    public static let defaultTimeouts = TransferTimeouts(
        connect: .seconds(10), idle: .seconds(60), total: .seconds(3600))
}

/// A session's handling of cookies.
public enum CookiePolicy: String, Sendable, Hashable, CaseIterable {
    /// Cookies are neither stored nor sent.
    case off
    /// Cookies are kept in memory while the session lives.
    case ephemeral
    /// Cookies with an expiry date are also kept in the session's storage.
    ///
    /// In a session that is created without a storage they are kept in memory only, as with ``ephemeral``.
    case persistent
}

/// The URLs that a session may request, relative to its base URL.
///
/// Checked after dot segments, including `%2e`, are removed.
public enum URLScope: String, Sendable, Hashable, CaseIterable {
    /// URLs below the path of the base URL.
    case base
    /// URLs with the scheme, host and port of the base URL.
    case origin
    /// All URLs. Credentials and the session's header fields are still sent only to the origin of the base URL.
    case any
}

extension SessionConfiguration {
    /// The range of each of the ``timeouts`` of a session or a request, and of ``suspendedKeep``: up to a month.
    package static let timeoutRange: ClosedRange<Duration> = .milliseconds(1)...(.seconds(31 * 86_400))
}
