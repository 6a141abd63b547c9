import HTTPTypes

/// The header fields that are about the message and not about the answer.
enum ResponseFields {
    /// Whether libmicrohttpd writes this field, so that a handler's is left out.
    static func areServers(_ name: HTTPField.Name) -> Bool {
        switch name {
        case .contentLength, .transferEncoding, .connection, .date: true
        default: false
        }
    }
}
