/// An informational message of libcurl that tells what its interface does not.
///
/// libcurl 7.88 also writes each field of an HTTP/2 request as such a message, `h2h3 [name: value]`, and a client chooses
/// the values. So a message is recognized by its beginning, never by a part of its text.
///
/// If another version words the messages differently, a refused request counts as possibly arrived, the response of a
/// connection that is closed to have fewer idle ones as cut, and a name that was found behind a proxy as being looked up
/// until there is a connection or a result.
enum CurlMessage: Hashable {
    /// libcurl gives a SOCKS proxy the address of the host, and has looked up its name before.
    case hostWasFound
    /// The request is sent over this stream of an HTTP/2 connection.
    case stream(Int)
    /// The peer ends the HTTP/2 connection, and has processed no stream after this one (GOAWAY, RFC 9113 §6.8).
    case goAway(lastStream: Int)
    /// The connection is kept, or closed only to have fewer idle ones.
    case connectionWasReusable

    /// The longest message that is read, in bytes: the messages above are shorter.
    static let maxBytes = 127

    /// Reads a message; `nil` for any other.
    init?(_ text: UnsafeRawBufferPointer) {
        guard text.count <= Self.maxBytes else { return nil }
        func begins(with mark: StaticString) -> Bool {
            mark.withUTF8Buffer { text.starts(with: $0) }
        }
        // "recveived" is the spelling of libcurl before 8.0.
        if begins(with: "recveived GOAWAY, ") || begins(with: "received GOAWAY, ") {
            guard let last = Self.number(after: "last_stream=", in: text) else { return nil }
            self = .goAway(lastStream: last)
        } else if begins(with: "SOCKS5 connect to IPv") || begins(with: "SOCKS4 connect to IPv") {
            self = .hostWasFound
        } else if begins(with: "Using Stream ID: ") {
            guard let number = Self.number(after: "Stream ID: ", in: text) else { return nil }
            self = .stream(number)
        } else if begins(with: "Connection cache is full")
            || begins(with: "Connection #") && String(decoding: text, as: UTF8.self).contains(" left intact")
        {
            self = .connectionWasReusable
        } else {
            return nil
        }
    }

    private static func number(after mark: String, in text: UnsafeRawBufferPointer) -> Int? {
        let text = String(decoding: text, as: UTF8.self)
        return text.firstRange(of: mark).flatMap { mark in
            Int(text[mark.upperBound...].prefix { $0.isASCII && $0.isNumber })
        }
    }
}
