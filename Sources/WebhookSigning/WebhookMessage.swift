/// A webhook as it is signed: its identifier, the time of the attempt and the content.
package struct WebhookMessage: Sendable, Hashable {
    /// Names the message, the same on every attempt: `webhook-id`.
    package var id: String
    /// The time of the attempt, in seconds since 1970: `webhook-timestamp`.
    package var timestamp: Int64
    /// The content, byte for byte as it is sent.
    package var body: [UInt8]

    /// Creates a message.
    package init(id: String, timestamp: Int64, body: [UInt8]) {
        self.id = id
        self.timestamp = timestamp
        self.body = body
    }

    /// What is signed: identifier, time and content with full stops between them.
    var signedContent: [UInt8] {
        Array("\(id).\(timestamp).".utf8) + body
    }
}
