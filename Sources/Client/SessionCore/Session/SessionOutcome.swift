public import ErrandAuthentication
import ErrandLocking
public import ErrandResponseSerialization
public import ErrandTransfer
public import HTTPTypes

/// The result of one attempt at a request.
public struct SessionOutcome: Sendable {
    // Behind references: an outcome is passed on through a dozen functions that suspend.
    private var sharedResponse: Shared<SessionResponse>?
    private var sharedMetrics: Shared<TransferMetrics>
    /// The error; `nil` for success.
    public var error: SessionError?
    /// True if another attempt is to follow without a decision of retriers: at once, or when the task is resumed.
    ///
    /// Either this one was suspended for too long, and its request can be sent again without harm; or it belongs to a
    /// download that requests its content again, or the rest of it (``wasLostToSuspension`` tells which).
    public var mayRestart = false
    /// True if a connection was closed while the task was suspended, which says nothing about the upstream.
    public package(set) var wasLostToSuspension = false
    /// True if the validators of the hooks have not accepted the response: one has refused it, or the time was over
    /// before they had decided.
    package var isRefused = false
    /// The redirects and challenges that further requests have followed, in order.
    public var hops: [FollowedHop] = []
    /// The last request of the attempt, for the retriers of its hooks; `nil` without them.
    var sent: SentRequest?
    /// True if no other attempt may follow, because the program has received a part of the response.
    var isFinal = false

    /// The redirects followed, in order.
    public var redirects: [FollowedRedirect] {
        hops.compactMap { if case .redirect(let redirect) = $0 { redirect } else { nil } }
    }

    /// The response, as far as it was received.
    ///
    /// It may accompany an error.
    public var response: SessionResponse? {
        get { sharedResponse?.value }
        set { sharedResponse = newValue.map { Shared($0) } }
    }

    /// The metrics of all hops together.
    public var metrics: TransferMetrics {
        get { sharedMetrics.value }
        set { sharedMetrics = Shared(newValue) }
    }

    /// Returns this outcome with the metrics and hops of an earlier request of the same attempt before its own.
    package func following(_ earlier: SessionOutcome) -> SessionOutcome {
        var outcome = self
        outcome.metrics = metrics.following(earlier.metrics)
        outcome.hops = earlier.hops + hops
        return outcome
    }

    /// The outcome without the content of the response and of the request.
    var withoutContent: SessionOutcome {
        var outcome = self
        outcome.sent = nil
        guard var response else { return outcome }
        response.body = nil
        response.object = .none
        outcome.response = response
        return outcome
    }

    /// Returns the outcome of an attempt that ends with an error after this request, without its response.
    package func ending(with error: SessionError) -> SessionOutcome {
        var outcome = SessionOutcome(error: error, metrics: metrics)
        outcome.hops = hops
        return outcome
    }

    /// The response of an outcome without an error.
    ///
    /// - Throws: The error of the outcome, with its response (``SessionError/response``).
    public var success: SessionResponse {
        get throws(SessionError) {
            try success(showing: ResponseConfiguration.Disposition.defaultMaxErrorBytes)
        }
    }

    /// Returns the response of an outcome without an error.
    ///
    /// - Parameter maxBytes: The maximum number of content bytes of the response of an error.
    /// - Throws: As ``success``.
    package func success(showing maxBytes: Int64) throws(SessionError) -> SessionResponse {
        if let error {
            guard let response else { throw error }
            throw error.with(response, maxBytes: maxBytes)
        }
        guard let response else {
            throw SessionError(.internal, "The attempt ended without a response and without an error")
        }
        return response
    }

    /// Creates an outcome from its parts.
    public init(
        response: SessionResponse? = nil, error: SessionError? = nil, metrics: TransferMetrics = TransferMetrics()
    ) {
        sharedResponse = response.map { Shared($0) }
        sharedMetrics = Shared(metrics)
        self.error = error
    }
}

/// A response that a session has received, validated and read.
public struct SessionResponse: Sendable {
    /// Status, reason, version and header fields, including secrets; use ``shownHeaders`` for display.
    public var head: ResponseHead
    /// The URL that responded.
    public var url: HTTPURL
    /// The number of redirects followed.
    public var redirects: Int
    /// The serializer that read the content.
    ///
    /// The first of the session's choice if none did.
    public var serializer: ResponseSerializerKind
    /// True if the object was not created because it would need too much memory.
    ///
    /// Only for content outside of memory.
    package internal(set) var omitsObject = false
    /// The object that the serializer created.
    public var object: ResponseObject
    /// The content; `nil` if it is incomplete or could not be stored.
    public var body: ReceivedBody?
    /// The secrets to hide.
    let secrets: SessionSecrets

    /// Creates a response from its parts, for tests of code that is given one.
    ///
    /// No session has secrets in it: ``shownHeaders`` hides only fields that always carry one, such as `Set-Cookie`.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - url: The URL that responded.
    ///   - redirects: The number of redirects followed. Default: 0.
    ///   - serializer: The serializer that read the content. Default: ``ResponseSerializerKind/raw``.
    ///   - object: The object that it created. Default: none.
    ///   - body: The content. Default: `nil`.
    public init(
        head: ResponseHead, url: HTTPURL, redirects: Int = 0, serializer: ResponseSerializerKind = .raw,
        object: ResponseObject = .none, body: ReceivedBody? = nil
    ) {
        self.init(
            head: head, url: url, redirects: redirects, serializer: serializer, object: object, body: body,
            secrets: SessionSecrets(nil))
    }

    /// Creates the response of a session from its parts.
    init(
        head: ResponseHead, url: HTTPURL, redirects: Int = 0, serializer: ResponseSerializerKind,
        object: ResponseObject = .none, body: ReceivedBody? = nil, secrets: SessionSecrets
    ) {
        self.secrets = secrets
        self.head = head
        self.url = url
        self.redirects = redirects
        self.serializer = serializer
        self.object = object
        self.body = body
    }

    /// The header fields with secrets as `[redacted]`.
    public var shownHeaders: HTTPFields { secrets.shown(head.headers) }

    /// The URL that responded, as text without secrets.
    public var shownURL: String { secrets.shown(url) }

    /// The JSON of ``object``; `nil` if there is none, or if it is in content outside of memory.
    public var json: ArraySlice<UInt8>? {
        switch object {
        case .none:
            return nil
        case .json(let bytes):
            return bytes[...]
        case .slice(let range):
            guard case .bytes(let bytes)? = body?.content, bytes.indices.contains(range) else { return nil }
            return bytes[range]
        }
    }
}

extension SessionResponse: RedactedReflection {
    /// The status and the URL, without secrets.
    public var description: String { "\(head.status) \(shownURL)" }
}
