import ErrandHTTPServer
import HTTPTypes

/// A response as bytes of HTTP/1.1, for use in the middle of a request's content, where libmicrohttpd cannot send one.
enum RawResponse {
    /// Returns the message, which announces the end of the connection, or `nil` if the response is not in memory.
    ///
    /// - Parameters:
    ///   - withContent: `false` for a response to HEAD.
    ///   - time: The seconds since 1970-01-01T00:00:00Z, for `Date`.
    static func bytes(of response: ServerResponse, withContent: Bool, at time: Int64) -> [UInt8]? {
        let content: [UInt8]
        switch response.body {
        case .empty: content = []
        case .bytes(let bytes), .shortenable(let bytes, _): content = bytes
        case .file, .stream: return nil
        }
        var message = "HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n"
        message += "Date: \(DateField.value(secondsSince1970: time))\r\n"
        for field in response.headers where ResponseFields.sends(field) {
            message += "\(field.name.rawName): \(field.value)\r\n"
        }
        if announcesLength(of: response) { message += "Content-Length: \(content.count)\r\n" }
        message += "Connection: close\r\n\r\n"
        let isEmpty = !withContent || response.status == .noContent || response.status == .notModified
        return Array(message.utf8) + (isEmpty ? [] : content)
    }

    /// Returns false for a 204, and for a 304 whose omitted content is unknown (RFC 9110 §8.6).
    private static func announcesLength(of response: ServerResponse) -> Bool {
        switch (response.status, response.body) {
        case (.noContent, _), (.notModified, .empty): false
        default: true
        }
    }
}
