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
    /// Bytes in memory, and shorter ones that are sent instead if too many bytes of responses wait for clients.
    ///
    /// For the responses of methods other than GET and HEAD, which report a change and cannot be refused.
    case shortenable([UInt8], short: [UInt8])
    /// A part of a file, sent by the kernel if possible.
    case file(FileRegion)
    /// Bytes from a stream, chunked unless the stream knows its length.
    case stream(ResponseStream)

    /// The largest number of bytes that are sent however many wait for clients: 64 KiB.
    public static let maxSmallBytes = 64 * 1024

    /// Returns bytes that are replaced by shorter ones if need be, which are made only if there are more than
    /// ``maxSmallBytes``.
    public static func bytes(_ bytes: [UInt8], orShort short: () -> [UInt8]) -> ResponseBody {
        bytes.count > maxSmallBytes ? .shortenable(bytes, short: short()) : .bytes(bytes)
    }

    /// True if the whole content is in memory.
    public var isInMemory: Bool {
        switch self {
        case .empty, .bytes, .shortenable: true
        case .file, .stream: false
        }
    }
}

/// A part of a file.
///
/// If the file cannot be opened, or is shorter than the region, the response becomes a 500; if it does not exist,
/// ``ifMissing`` may change that.
public struct FileRegion: Sendable {
    /// The file's path.
    public var path: String
    /// The position of the first byte.
    public var offset: Int64
    /// The number of bytes.
    public var length: Int64
    /// Changes the response if the file does not exist; `nil`, the default, if that is a fault of the server.
    ///
    /// The file is opened after the handler has responded, and may have been removed since. Runs on the server's
    /// thread: do not block. The response must get content in memory.
    public var ifMissing: (@Sendable (inout ServerResponse) -> Void)?

    /// Creates a region of a file.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - offset: The position of the first byte.
    ///   - length: The number of bytes.
    ///   - ifMissing: Changes the response if the file does not exist. Default: `nil`, which makes it a 500.
    public init(
        path: String, offset: Int64, length: Int64, ifMissing: (@Sendable (inout ServerResponse) -> Void)? = nil
    ) {
        self.path = path
        self.offset = offset
        self.length = length
        self.ifMissing = ifMissing
    }
}

/// Content that is produced while it is sent.
public struct ResponseStream: Sendable {
    /// The total number of bytes, or `nil` if it is unknown.
    public var length: Int64?
    /// The size of the first part, in bytes, if it is in memory already; 0 by default.
    ///
    /// The server adds it to the bytes that wait for clients before it sends the head, and responds with a 503 if there
    /// are too many of them.
    public var firstPartBytes = 0
    /// Returns the next bytes, or `nil` at the end.
    ///
    /// Called only when the client has taken the previous bytes; canceled when it disconnects, and also when it closes
    /// its sending side, because a stream may have no end. An error closes the connection without a proper end of the
    /// content, so that the client notices. So does a part above 64 KiB if too many bytes of responses wait for
    /// clients. A client without chunks notices only if the length is known (``RequestHead/acceptsChunks``).
    public var next: @Sendable () async throws -> [UInt8]?

    /// Creates a stream from the closure that makes its parts.
    public init(length: Int64? = nil, next: @escaping @Sendable () async throws -> [UInt8]?) {
        self.length = length
        self.next = next
    }
}
