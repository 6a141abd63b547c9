/// The signed parts of a webhook: identifier, time of the attempt and content.
package struct WebhookMessage: Sendable, Hashable {
    /// The identifier of the message, the same on every attempt: `webhook-id`.
    package var id: String
    /// The time of the attempt, in seconds since 1970: `webhook-timestamp`.
    package var timestamp: Int64
    /// The content, byte for byte as sent.
    package var body: [UInt8]

    /// Creates a message.
    package init(id: String, timestamp: Int64, body: [UInt8]) {
        self.id = id
        self.timestamp = timestamp
        self.body = body
    }

    /// The signed bytes: identifier, time and content, separated by full stops.
    var signedContent: [UInt8] {
        Array("\(id).\(timestamp).".utf8) + body
    }
}
