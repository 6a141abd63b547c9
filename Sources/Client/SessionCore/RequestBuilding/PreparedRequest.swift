public import ErrandAuthentication
public import ErrandResponseSerialization
public import ErrandTransfer
public import HTTPTypes

/// A request that a session has validated and prepared.
///
/// The session's credentials and cookies are added when it is sent. It never changes.
public final class PreparedRequest: Sendable {
    /// The request for the transport, without credentials and cookies.
    ///
    /// It contains secrets; use ``shownURL`` and ``shownHeaders`` for display.
    public let transfer: TransferRequest
    /// The serializer that will read the response.
    ///
    /// Fixed here, so that a later change of the session does not affect it.
    public let responseSerializer: ResponseSerializerChoice
    /// True if the request is for the origin of the session's base URL, so that its response comes from the session's
    /// own upstream.
    let isOwnOrigin: Bool
    /// True if the session's credentials are sent, as the request is for the session's own origin.
    let carriesCredentials: Bool
    /// The names of the session's header fields, which are sent only to its own origin.
    let sessionFields: Set<HTTPField.Name>
    /// True if the request may become part of a trace: neither the task nor the session sets `traceparent`, and the
    /// task does not remove it.
    let continuesTraces: Bool
    /// True if the session's cookies are sent, as the task sets none.
    let carriesCookies: Bool
    /// True if each attempt begins with reading the content for its digest, which is sent with it.
    let lacksDigest: Bool
    /// True if redirects are followed as the session's policy allows.
    let followsRedirects: Bool
    /// True if only the status decides about success: see ``TaskRequest/isJudgedByStatus``.
    let isJudgedByStatus: Bool
    /// The hooks and rules that most requests lack; `nil` without any.
    let extras: RequestExtras?
    /// The builder that prepared the request.
    let builder: RequestBuilder

    /// Creates a request from its parts.
    init(
        transfer: TransferRequest, responseSerializer: ResponseSerializerChoice, isOwnOrigin: Bool,
        carriesCredentials: Bool, sessionFields: Set<HTTPField.Name>, continuesTraces: Bool, carriesCookies: Bool,
        lacksDigest: Bool, followsRedirects: Bool, isJudgedByStatus: Bool, extras: RequestExtras?,
        builder: RequestBuilder
    ) {
        self.transfer = transfer
        self.responseSerializer = responseSerializer
        self.isOwnOrigin = isOwnOrigin
        self.carriesCredentials = carriesCredentials
        self.sessionFields = sessionFields
        self.continuesTraces = continuesTraces
        self.carriesCookies = carriesCookies
        self.lacksDigest = lacksDigest
        self.followsRedirects = followsRedirects
        self.isJudgedByStatus = isJudgedByStatus
        self.extras = extras
        self.builder = builder
    }

    /// Returns the same request with another transfer, and with further header fields that are sent only to its origin.
    func with(_ transfer: TransferRequest, boundToOrigin names: Set<HTTPField.Name> = []) -> PreparedRequest {
        PreparedRequest(
            transfer: transfer, responseSerializer: responseSerializer, isOwnOrigin: isOwnOrigin,
            carriesCredentials: carriesCredentials, sessionFields: sessionFields.union(names),
            continuesTraces: continuesTraces, carriesCookies: carriesCookies, lacksDigest: lacksDigest,
            followsRedirects: followsRedirects, isJudgedByStatus: isJudgedByStatus, extras: extras, builder: builder)
    }

    /// The secrets to hide.
    var secrets: SessionSecrets { builder.secrets }

    /// The method, in upper case.
    public var method: HTTPRequest.Method { transfer.method }

    /// True if the request has an idempotency key, with which the upstream recognizes a repetition, so that it may be
    /// sent twice.
    public var carriesIdempotencyKey: Bool { transfer.headers.contains(.idempotencyKey) }

    /// The URL as text, without secrets.
    public var shownURL: String { secrets.shown(transfer.url, addingOwn: carriesCredentials) }

    /// The header fields with secrets as `[redacted]`, including the session's credentials.
    public var shownHeaders: HTTPFields { secrets.shown(transfer.headers, addingOwn: carriesCredentials) }

    /// The number of content bytes; `nil` if unknown before sending.
    public var bodySize: Int64? {
        switch transfer.body {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .source(let source): source.length
        }
    }

    /// A shell command that sends the same request with curl, secrets as `[redacted]`.
    public var curlCommand: String { CurlCommand(self).description }
}

extension PreparedRequest {
    /// Returns the same request for a part of the content only, if that has not changed (RFC 9110 §13.1.5, §14.2).
    ///
    /// The part is not decoded, because a part of encoded content cannot be.
    ///
    /// - Parameters:
    ///   - offset: The first byte of the part.
    ///   - end: The position after the last byte; `nil` for the end of the content.
    ///   - validator: The strong validator of the content; `nil` if it is not known yet.
    package func asking(fromByte offset: Int64, upTo end: Int64?, ifStill validator: String?) -> PreparedRequest {
        var transfer = transfer
        transfer.headers[.range] = "bytes=\(offset)-\(end.map { String($0 - 1) } ?? "")"
        transfer.headers[.ifRange] = validator
        transfer.acceptsCompression = false
        return with(transfer)
    }

    /// Returns the same request as part of a trace (W3C Trace Context), unless it does not take part in traces.
    ///
    /// The fields are bound to the origin of the request: a redirect to another origin drops them, because
    /// identifiers of a trace are meant for the upstream that the client has chosen.
    ///
    /// - Parameters:
    ///   - parent: The value of `traceparent`.
    ///   - state: The value of `tracestate`, unless the request has one of its own; `nil` for none.
    package func continuing(traceParent parent: String, traceState state: String?) -> PreparedRequest {
        guard continuesTraces else { return self }
        var (transfer, names) = (transfer, Set([HTTPField.Name.traceParent]))
        transfer.headers[.traceParent] = parent
        if let state, !transfer.headers.contains(.traceState) {
            transfer.headers[.traceState] = state
            names.insert(.traceState)
        }
        return with(transfer, boundToOrigin: names)
    }

    /// True if the request can be sent several times at once.
    package var hasRepeatableContent: Bool {
        switch transfer.body {
        case .none, .bytes: true
        case .source: false
        }
    }
}

extension PreparedRequest: RedactedReflection {
    /// The method and the URL, without secrets.
    public var description: String { "\(method) \(shownURL)" }
}
