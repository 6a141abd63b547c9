public import Authentication
public import HTTPTypes
public import ResponseSerialization
public import Transfer

/// How one attempt at a request ended.
public struct SessionOutcome: Sendable {
    /// The response, as far as it came.
    ///
    /// There may be one beside an error.
    public var response: SessionResponse?
    /// Why the attempt failed; `nil` for success.
    public var error: SessionError?
    /// What was measured, of all hops together.
    public var metrics: TransferMetrics
    /// The attempt failed only as it was suspended, and another may be made at once without harm.
    public var mayRestart = false
    /// The redirects that were followed, in their order.
    public var redirects: [FollowedRedirect] = []

    /// The response of an outcome without an error.
    ///
    /// - Throws: The error of one with.
    public var success: SessionResponse {
        get throws(SessionError) {
            if let error { throw error }
            guard let response else {
                throw SessionError(.internal, "The attempt ended without a response and without an error")
            }
            return response
        }
    }

    /// Creates an outcome from its parts.
    public init(
        response: SessionResponse? = nil, error: SessionError? = nil, metrics: TransferMetrics = TransferMetrics()
    ) {
        self.response = response
        self.error = error
        self.metrics = metrics
    }
}

/// A response as a session has received, judged and read it.
public struct SessionResponse: Sendable {
    /// Status, reason, version and header fields, secrets included: for showing there is ``shownHeaders``.
    public var head: ResponseHead
    /// The URL that answered.
    public var url: HTTPURL
    /// The redirects that led there.
    public var redirects: Int
    /// What read the content.
    ///
    /// The first of the session's choice while nothing has.
    public var serializer: ResponseSerializerKind
    /// What the serializer made of it.
    public var object: ResponseObject
    /// The content; `nil` when it did not come whole or could not be kept.
    public var body: ReceivedBody?
    /// What of it is not shown.
    let secrets: SessionSecrets

    /// Creates a response from its parts.
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

    /// The URL that answered, as text without secrets.
    public var shownURL: String { secrets.shown(url) }

    /// The JSON of ``object``; `nil` when there is none, or when it is in content outside of memory.
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
