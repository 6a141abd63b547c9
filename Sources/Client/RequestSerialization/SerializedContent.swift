public import ErrandTransfer

/// The content made from parameters, with its content type.
public struct SerializedContent: Sendable {
    /// The content.
    public var body: TransferBody
    /// The `Content-Type` unless a header field overrides it; `nil` if there is no content.
    public var contentType: String?

    /// Creates content; none by default.
    public init(body: TransferBody = .none, contentType: String? = nil) {
        self.body = body
        self.contentType = contentType
    }
}
