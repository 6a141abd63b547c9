/// The content of an answer.
///
/// An answer to HEAD has the headers that its GET has, `Content-Length` included, and no content: handlers answer HEAD
/// as they answer GET, and the server leaves the content out, without opening a file or starting a stream. So does it
/// in a 304, whose `Content-Length` is that of the content given here; with ``empty`` it has none, and libmicrohttpd
/// can then only close the connection after it (RFC 9110 §8.6 forbids a 0 that is not the length of the content).
public enum ResponseBody: Sendable {
    /// No content.
    case empty
    /// Bytes in memory.
    case bytes([UInt8])
    /// A part of a file, sent by the kernel where it can.
    case file(FileRegion)
    /// Bytes as they come, chunked unless the stream knows its length.
    case stream(ResponseStream)

    /// Whether all of it is in memory already.
    public var isInMemory: Bool {
        switch self {
        case .empty, .bytes: true
        case .file, .stream: false
        }
    }
}
