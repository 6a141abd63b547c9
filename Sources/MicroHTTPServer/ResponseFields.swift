import HTTPTypes

/// The header fields of an answer that are sent.
enum ResponseFields {
    /// Whether a field of an answer is sent: not one that is about the message, which the server writes itself, nor one
    /// without a value, which libmicrohttpd does not take.
    static func sends(_ field: HTTPField) -> Bool {
        switch field.name {
        case .contentLength, .transferEncoding, .connection, .date: false
        default: !field.value.isEmpty
        }
    }
}
