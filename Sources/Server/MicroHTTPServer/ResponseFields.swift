import HTTPTypes

/// The selection of the header fields that are sent.
enum ResponseFields {
    /// Returns true if a field of a response is sent.
    ///
    /// Framing and connection fields are not sent, because the server writes them itself, nor are fields without a
    /// value, which libmicrohttpd does not accept.
    static func sends(_ field: HTTPField) -> Bool {
        switch field.name {
        case .contentLength, .transferEncoding, .connection, .date: false
        default: !field.value.isEmpty
        }
    }
}
