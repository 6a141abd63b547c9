import ErrandText

/// A writer of `text/event-stream` (WHATWG HTML §9.2.5).
///
/// Its bytes are a piece of a stream: fields, comments and whole events.
package struct EventStreamWriter: Sendable {
    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty writer.
    package init() {}

    /// Writes the time before clients reconnect.
    ///
    /// It is a field of the next event: on its own it would be an event without data, which some clients dispatch.
    package mutating func retry(afterMilliseconds milliseconds: Int) {
        bytes += "retry: \(milliseconds)\n".utf8
    }

    /// Writes a comment line, which clients ignore, for proxies that close idle connections.
    package mutating func comment() {
        bytes += ":\n".utf8
    }

    /// Writes a position without an event: the id that a client sends when it reconnects.
    ///
    /// An event without data changes the id and is not dispatched (WHATWG HTML §9.2.6).
    package mutating func position(_ id: Int64) {
        bytes += "id: \(id)\n\n".utf8
    }

    /// Writes an event.
    ///
    /// - Parameters:
    ///   - name: Its type, without line breaks.
    ///   - id: The id that a client sends when it reconnects; `nil` does not change it.
    ///   - json: A JSON text. Line breaks in it, which are white space between tokens (RFC 8259 §2), become spaces,
    ///     so that the data are a single line.
    package mutating func event(_ name: String, id: Int64? = nil, json: [UInt8]) {
        if let id { bytes += "id: \(id)\n".utf8 }
        bytes += "event: \(name)\ndata: ".utf8
        let start = bytes.count
        bytes += json
        for index in start..<bytes.count where bytes[index] == UInt8(ascii: "\n") || bytes[index] == UInt8(ascii: "\r")
        {
            bytes[index] = UInt8(ascii: " ")
        }
        bytes += "\n\n".utf8
    }

    /// Appends the bytes of another writer.
    package mutating func append(_ piece: [UInt8]) {
        // The first piece is shared and not copied: the same event goes to many streams.
        if bytes.isEmpty { bytes = piece } else { bytes += piece }
    }
}

/// The last event that a client has received, sent when it reconnects (WHATWG HTML §9.2.4, `Last-Event-ID`).
package struct LastEventID: Sendable, Hashable {
    /// The number of the event; 0 for a client that has received none and requests all.
    package let number: Int64

    /// Parses decimal digits; `nil` for any other text, or a number too large for an event.
    package init?(_ text: String) {
        guard let number = Int64(decimalDigits: text) else { return nil }
        self.number = number
    }
}
