/// Frames of HTTP/2 as a scripted server writes them (RFC 9113 §4.1).
package enum HTTP2Frames {
    /// Returns a frame.
    package static func frame(type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        [UInt8(payload.count >> 16 & 0xFF), UInt8(payload.count >> 8 & 0xFF), UInt8(payload.count & 0xFF), type, flags]
            + [0, 0, 0, stream] + payload
    }

    /// Empty settings, which a server sends first.
    package static let settings = frame(type: 4)
    /// Settings (RFC 9113 §6.5.2) and a window update (§6.9) that let the client send without limit.
    package static let wideWindow =
        frame(type: 4, [0, 4, 0x7F, 0xFF, 0xFF, 0xFF]) + frame(type: 8, [0x7F, 0xFF, 0, 0])
    /// The acknowledgement of the client's settings.
    package static let settingsAck = frame(type: 4, flags: 1)
    /// `:status: 200` (RFC 7541, entry 8 of the static table) for the first request.
    package static let ok = ok(stream: 1)
    /// Returns `:status: 200` for the request of a stream.
    package static func ok(stream: UInt8) -> [UInt8] { frame(type: 1, flags: 4, stream: stream, [0x88]) }
    /// Returns `:status: 200` and `content-length` (entry 28 of the static table) with one digit for the first request.
    package static func okWithLength(_ digit: UInt8) -> [UInt8] {
        frame(type: 1, flags: 4, stream: 1, [0x88, 0x0F, 0x0D, 1, 48 + digit])
    }
    /// `:status: 404` (RFC 7541, entry 13 of the static table) for the first request.
    package static let notFound = frame(type: 1, flags: 4, stream: 1, [0x8D])
    /// Returns content of a response, by default the first.
    package static func data(_ text: String, isLast: Bool, stream: UInt8 = 1) -> [UInt8] {
        frame(type: 0, flags: isLast ? 1 : 0, stream: stream, Array(text.utf8))
    }
    /// Returns a response with `:status: 200` and content, by default to the first request.
    package static func response(_ text: String, stream: UInt8 = 1) -> [UInt8] {
        ok(stream: stream) + data(text, isLast: true, stream: stream)
    }
    /// Returns a frame that resets a stream, by default that of the first request.
    package static func reset(_ code: UInt8, stream: UInt8 = 1) -> [UInt8] {
        frame(type: 3, stream: stream, [0, 0, 0, code])
    }
    /// A frame that the client answers.
    package static let ping = frame(type: 6, [UInt8](repeating: 0, count: 8))
    /// Returns a frame that ends the connection; streams above `last` were not processed.
    package static func goAway(last: UInt8, code: UInt8 = 0) -> [UInt8] {
        frame(type: 7, [0, 0, 0, last, 0, 0, 0, code])
    }
}

/// A frame of HTTP/2 that a scripted server has read (RFC 9113 §4.1).
package struct HTTP2Frame {
    /// The type, such as 0 for DATA and 1 for HEADERS.
    package let type: UInt8
    /// The flags.
    package let flags: UInt8
    /// The last byte of the stream's number.
    package let stream: UInt8
    /// The payload.
    package let payload: [UInt8]

    /// True if a frame of the type DATA or HEADERS is the last of its stream.
    package var isLast: Bool { flags & 1 == 1 }
}

extension ScriptedConnection {
    /// Starts HTTP/2 with a client that sends the preface at once, and waits for its first request.
    ///
    /// The request is not recorded, because its `wireBytes` would not be meaningful.
    ///
    /// - Parameter settings: The frames that the server sends first.
    package func beginHTTP2(settings: [UInt8] = HTTP2Frames.settings) throws {
        // The preface (RFC 9113 §3.4) comes first, then frames until one with headers.
        _ = try read(24)
        try send(settings + HTTP2Frames.settingsAck)
        try waitForHTTP2Request()
    }

    /// Waits for another request over HTTP/2.
    package func waitForHTTP2Request() throws {
        try waitForHTTP2Frame(type: 1)
    }

    /// Waits for a frame of a type (RFC 9113 §6).
    package func waitForHTTP2Frame(type: UInt8) throws {
        while try readHTTP2Frame().type != type {}
    }

    /// Reads a frame.
    package func readHTTP2Frame() throws -> HTTP2Frame {
        let head = try read(9)
        let payload = try read(Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2]))
        return HTTP2Frame(type: head[3], flags: head[4], stream: head[8], payload: payload)
    }
}
