import ErrandSupport
import Testing

/// An upstream that tries to stop the gateway, to starve its other sessions, or to fill its memory.
enum HostileUpstream: String, CaseIterable, CustomTestStringConvertible {
    /// A first field line that begins with a blank (RFC 9112 §5.2), after a response on the same connection.
    case foldedFirstLine
    /// HTTP/2 frames without content, without an end.
    case priorityFrames, emptyDataFrames, windowUpdateFrames, pingFrames
    /// Content in chunks of one byte, without an end.
    case oneByteChunks
    /// Trailers without an end.
    case trailers
    /// HTTP/2 requests that are not processed (RFC 9113 §8.7).
    case refusedStream, goAway
    /// A field line that is longer than libcurl takes.
    case longLine

    var testDescription: String { rawValue }

    /// The version of HTTP that its session has to speak.
    var version: String {
        switch self {
        case .foldedFirstLine, .oneByteChunks, .trailers, .longLine: "1.1"
        case .priorityFrames, .emptyDataFrames, .windowUpdateFrames, .pingFrames, .refusedStream, .goAway: "2"
        }
    }

    /// The frame that is repeated without an end.
    private var frame: [UInt8]? {
        switch self {
        case .priorityFrames: HTTP2Frames.frame(type: 2, stream: 1, [0, 0, 0, 0, 1])
        case .emptyDataFrames: HTTP2Frames.frame(type: 0, stream: 1)
        case .windowUpdateFrames: HTTP2Frames.frame(type: 8, stream: 0, [0, 0, 0, 1])
        case .pingFrames: HTTP2Frames.frame(type: 6, flags: 1, [0, 0, 0, 0, 0, 0, 0, 0])
        case .foldedFirstLine, .oneByteChunks, .trailers, .refusedStream, .goAway, .longLine: nil
        }
    }

    /// Serves one connection.
    var script: ScriptedServer.Script {
        if let frame {
            let frames = (0..<4_096).flatMap { _ in frame }
            return { connection in
                try connection.beginHTTP2()
                try connection.send(HTTP2Frames.ok)
                while true { try connection.send(frames) }
            }
        }
        return switch self {
        case .oneByteChunks:
            Self.endless("", Array(String(repeating: "1\r\nx\r\n", count: 20_000).utf8))
        case .trailers:
            Self.endless("5\r\nhello\r\n0\r\n", Array(String(repeating: "X-Trailer: 1\r\n", count: 1_000).utf8))
        case .refusedStream:
            Self.refusing(HTTP2Frames.reset(7))
        case .goAway:
            Self.refusing(HTTP2Frames.goAway(last: 0))
        case .longLine:
            { connection in
                try connection.readRequest()
                try connection.send("HTTP/1.1 200 OK\r\nX-Long: \(String(repeating: "x", count: 150_000))\r\n\r\n")
            }
        default:
            { connection in
                while true {
                    try connection.readRequest()
                    try connection.respond("200 OK", [ScriptedConnection.longField], body: "ok")
                    try connection.readRequest()
                    try connection.sendFoldedResponse()
                }
            }
        }
    }

    private static func refusing(_ frame: [UInt8]) -> ScriptedServer.Script {
        { connection in
            try connection.beginHTTP2()
            try connection.send(frame)
            connection.waitForClose()
        }
    }

    private static func endless(_ beginning: String, _ piece: [UInt8]) -> ScriptedServer.Script {
        { connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(beginning)")
            while true { try connection.send(piece) }
        }
    }
}
