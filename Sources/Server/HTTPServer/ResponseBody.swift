/// The content of a response.
///
/// A response to HEAD has the headers of the corresponding GET, `Content-Length` included, and no content: handlers
/// respond to HEAD as to GET, and the server omits the content without opening a file or starting a stream. The same
/// applies to a 304, whose `Content-Length` is that of the content given here. A 304 with ``empty`` has no length, and
/// libmicrohttpd can then only close the connection after it (RFC 9110 §8.6 forbids a 0 that is not the length of the
/// content).
public enum ResponseBody: Sendable {
    /// No content.
    case empty
    /// Bytes in memory.
    case bytes([UInt8])
    /// A part of a file, sent by the kernel if possible.
    case file(FileRegion)
    /// Bytes from a stream, chunked unless the stream knows its length.
    case stream(ResponseStream)

    /// A Boolean value that indicates whether the whole content is in memory.
    public var isInMemory: Bool {
        switch self {
        case .empty, .bytes: true
        case .file, .stream: false
        }
    }
}
