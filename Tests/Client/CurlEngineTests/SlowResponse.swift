import Testing

/// A response with parts that follow one another slowly, and that give the receiver no content; its content is "hello".
struct SlowResponse: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let start: [UInt8]
    let part: [UInt8]
    let end: [UInt8]

    /// One response for each callback of libcurl whose bytes may give no content.
    static let all: [SlowResponse] = [lines, coded]

    private static let head = "HTTP/1.1 200 OK\r\n"

    private static let lines = SlowResponse(
        testDescription: "the lines of a head", start: Array(head.utf8), part: Array("X-Slow: 1\r\n".utf8),
        end: Array("Content-Length: 5\r\n\r\nhello".utf8))

    /// The content as gzip (RFC 1952), with empty blocks that are not compressed (RFC 1951 §3.2.4) before it.
    private static let coded = SlowResponse(
        testDescription: "coded content",
        start: Array("\(head)Content-Encoding: gzip\r\n\r\n".utf8) + [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3],
        part: [0, 0, 0, 0xFF, 0xFF],
        end: [0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0])
}
