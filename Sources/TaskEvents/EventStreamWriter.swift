/// Writes `text/event-stream` (WHATWG HTML §9.2.5).
///
/// What it has written is a piece of a stream: fields, comments and whole events.
package struct EventStreamWriter: Sendable {
    /// What was written so far.
    package private(set) var bytes: [UInt8] = []

    /// Creates a writer that has written nothing.
    package init() {}

    /// Tells clients how long to wait before they come back.
    ///
    /// It is a field of the event that follows: one of its own would be an event without data, which some clients
    /// pass on.
    package mutating func retry(afterMilliseconds milliseconds: Int) {
        bytes += "retry: \(milliseconds)\n".utf8
    }

    /// Writes a line that clients skip, for proxies that close what is silent.
    package mutating func comment() {
        bytes += ":\n".utf8
    }

    /// Writes an event.
    ///
    /// - Parameters:
    ///   - name: Its type, without line ends.
    ///   - id: What a client says when it comes back; `nil` leaves that as it is.
    ///   - json: A JSON text. Line ends in it, which are white space between tokens (RFC 8259 §2), become spaces: the
    ///     data are one line for everybody who reads line by line.
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

    /// Writes what another writer has written.
    package mutating func append(_ piece: [UInt8]) {
        bytes += piece
    }
}
