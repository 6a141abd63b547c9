import ErrandHTTPServer
import HTTPTypes

/// A response as bytes of HTTP/1.1, for use in the middle of a request's content, where libmicrohttpd cannot send one.
enum RawResponse {
    /// Returns the message, which announces the end of the connection, or `nil` if the response is not in memory.
    static func bytes(of response: ServerResponse, withContent: Bool) -> [UInt8]? {
        let content: [UInt8]
        switch response.body {
        case .empty: content = []
        case .bytes(let bytes), .shortenable(let bytes, _): content = bytes
        case .file, .stream: return nil
        }
        var message = "HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n"
        for field in response.headers where ResponseFields.sends(field) {
            message += "\(field.name.rawName): \(field.value)\r\n"
        }
        message += "Content-Length: \(content.count)\r\nConnection: close\r\n\r\n"
        return Array(message.utf8) + (withContent ? content : [])
    }
}
