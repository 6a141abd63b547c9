public import Transfer

/// The content that parameters have become, and its type.
public struct SerializedContent: Sendable {
    /// The content.
    public var body: TransferBody
    /// The `Content-Type` that it has unless a header field says otherwise; `nil` where there is no content.
    public var contentType: String?

    /// Creates content; none by default.
    public init(body: TransferBody = .none, contentType: String? = nil) {
        self.body = body
        self.contentType = contentType
    }
}
