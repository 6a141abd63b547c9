public import HTTPTypes
public import Transfer

/// A request that a session has judged and made: it goes to the wire as it is.
public struct PreparedRequest: Sendable {
    /// What the transport gets.
    ///
    /// Holds secrets: for showing there are ``shownURL`` and ``shownHeaders``.
    public let transfer: TransferRequest
    /// What will read the response.
    ///
    /// Decided here, so that a later change of the session does not change it.
    public let responseSerializer: ResponseSerializerKind

    /// The method, in upper case.
    public var method: HTTPRequest.Method { transfer.method }

    /// The URL as text, without secrets.
    public var shownURL: String { transfer.url.string }

    /// The header fields with secrets as `[redacted]`.
    public var shownHeaders: HTTPFields { HeaderRedaction.redacting(transfer.headers) }

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
