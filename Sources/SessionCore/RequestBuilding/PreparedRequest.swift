public import Authentication
public import HTTPTypes
public import ResponseSerialization
public import Transfer

/// A request that a session has judged and made.
///
/// What is added when it is sent: the session's credentials and cookies.
public struct PreparedRequest: Sendable {
    /// What the transport gets, but for credentials and cookies.
    ///
    /// Holds secrets: for showing there are ``shownURL`` and ``shownHeaders``.
    public let transfer: TransferRequest
    /// What will read the response.
    ///
    /// Decided here, so that a later change of the session does not change it.
    public let responseSerializer: ResponseSerializerChoice
    /// It goes to the origin of the session's base URL: what answers is the session's own upstream.
    let isAtHome: Bool
    /// It goes to the session's own origin, and the session's credentials with it.
    let carriesCredentials: Bool
    /// The header fields that are the session's, and stay on its origin.
    let sessionFields: Set<HTTPField.Name>
    /// What requests to other origins have in their place.
    let foreignFields: HTTPFields
    /// The session's cookies go along, as the task has said nothing about them.
    let carriesCookies: Bool
    /// Redirects are followed where the session follows them.
    let followsRedirects: Bool
    /// What of it is not shown.
    let secrets: SessionSecrets
    /// By whose rules it was made.
    let maker: RequestMaker

    /// The method, in upper case.
    public var method: HTTPRequest.Method { transfer.method }

    /// It has a key by which the upstream knows it when it comes again, so that it may be sent twice.
    public var carriesIdempotencyKey: Bool { transfer.headers.contains(.idempotencyKey) }

    /// The URL as text, without secrets.
    public var shownURL: String { secrets.shown(transfer.url, addingOwn: carriesCredentials) }

    /// The header fields with secrets as `[redacted]`, the session's credentials among them.
    public var shownHeaders: HTTPFields { secrets.shown(transfer.headers, addingOwn: carriesCredentials) }

    /// The number of bytes of content; `nil` when it is not known before it is sent.
    public var bodySize: Int64? {
        switch transfer.body {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .source(let source): source.length
        }
    }

    /// A command line for a shell that sends the same request, secrets as `[redacted]`.
    public var curlCommand: String { CurlCommand(self).description }
}

extension PreparedRequest: RedactedReflection {
    /// The method and the URL, without secrets.
    public var description: String { "\(method) \(shownURL)" }
}

/// Who has made requests: nothing but an identity.
final class RequestMaker: Sendable {}
