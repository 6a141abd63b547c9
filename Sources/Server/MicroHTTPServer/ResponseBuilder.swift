import CErrandMicroHTTPD
import ErrandFiles
import ErrandHTTPServer
import Glibc
import HTTPTypes

/// Converts responses to libmicrohttpd's responses.
enum ResponseBuilder {
    /// The block size of a streamed response with a known length, in bytes.
    private static let blockBytes = 64 * 1024
    /// The block size of a streamed response without a known length, in bytes.
    ///
    /// Chunks are made in the connection's own memory, and a block is used for HTTP/1.0 only. It is small because
    /// thousands of streams may be open for hours.
    private static let openEndedBlockBytes = 4 * 1024

    /// The circumstances that influence the response.
    struct Context {
        var method: HTTPRequest.Method
        /// True if the connection ends after the response.
        var closes: Bool
    }

    /// A response and, if it is streamed, the source of its content.
    struct Built {
        /// The response of libmicrohttpd, owned by the caller.
        var handle: OpaquePointer
        var stream: StreamedResponse?
    }

    /// A reason for which a response cannot be sent.
    enum Failure: Error, CustomStringConvertible {
        /// The status is an interim one, which handlers must not send.
        case interimStatus
        /// The file does not exist.
        case missing(path: String)
        case file(path: String, reason: String)
        case outOfMemory

        var description: String {
            switch self {
            case .interimStatus: "its status is an interim one"
            case .missing(let path): "\(path): \(SystemFailure.reason(of: ENOENT))"
            case .file(let path, let reason): "\(path): \(reason)"
            case .outOfMemory: "out of memory"
            }
        }
    }

    static func build(_ response: ServerResponse, in context: Context) throws(Failure) -> Built {
        guard response.status.code >= 200 else { throw .interimStatus }
        let built = try content(of: response, in: context)
        var isComplete = true
        for field in response.headers where ResponseFields.sends(field) {
            isComplete = add(field.name.rawName, field.value, to: built.handle) && isComplete
        }
        if context.closes {
            isComplete = add("Connection", "close", to: built.handle) && isComplete
        }
        guard isComplete else {
            MHD_destroy_response(built.handle)
            throw .outOfMemory
        }
        return built
    }

    /// Adds a header field, which libmicrohttpd copies.
    ///
    /// A string that is passed as an argument is copied into an array first; `withCString` passes its own bytes.
    private static func add(_ name: String, _ value: String, to response: OpaquePointer) -> Bool {
        name.withCString { name in
            value.withCString { value in MHD_add_response_header(response, name, value) == .YES }
        }
    }

    private static func content(of response: ServerResponse, in context: Context) throws(Failure) -> Built {
        let sendsContent = context.method != .head && response.status != .notModified
        switch response.body {
        case .empty:
            // The length of a 304 is that of the omitted content (RFC 9110 §8.6), which is unknown here.
            return try response.status == .notModified ? announced(length: nil) : bytes([])
        case .bytes(let content), .shortenable(let content, _):
            return try sendsContent ? bytes(content) : announced(length: UInt64(content.count))
        case .file(let region):
            return try sendsContent ? file(region) : announced(length: UInt64(max(0, region.length)))
        case .stream(let source):
            return try sendsContent ? stream(source) : announced(length: source.knownLength)
        }
    }

    private static func bytes(_ content: [UInt8]) throws(Failure) -> Built {
        let handle = content.withUnsafeBytes { buffer in
            // libmicrohttpd copies the content and does not change it, in spite of the parameter's type.
            MHD_create_response_from_buffer(
                buffer.count, UnsafeMutableRawPointer(mutating: buffer.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let handle else { throw .outOfMemory }
        return Built(handle: handle)
    }

    /// Returns a response whose content is not sent, but whose length is.
    ///
    /// Without a length it closes the connection: libmicrohttpd would write the last chunk of a chunked content that
    /// the client does not expect.
    private static func announced(length: UInt64?) throws(Failure) -> Built {
        let size = length ?? cmicrohttpd_size_unknown
        guard let handle = MHD_create_response_from_callback(size, 1, readNothing, nil, nil) else {
            throw .outOfMemory
        }
        if length == nil {
            cmicrohttpd_end_with_connection(handle)
        }
        return Built(handle: handle)
    }

    private static func file(_ region: FileRegion) throws(Failure) -> Built {
        guard region.length > 0 else { return try bytes([]) }
        let descriptor = DescriptorReserve.admit(open(region.path, O_RDONLY | O_CLOEXEC))
        guard descriptor >= 0 else {
            let number = errno
            guard number != ENOENT else { throw .missing(path: region.path) }
            throw .file(path: region.path, reason: SystemFailure.reason(of: number))
        }
        var status = stat()
        guard region.offset >= 0, fstat(descriptor, &status) == 0,
            region.length <= Int64(status.st_size) - region.offset
        else {
            close(descriptor)
            throw .file(path: region.path, reason: "there are no \(region.length) bytes at \(region.offset)")
        }
        guard
            let handle = MHD_create_response_from_fd_at_offset64(
                UInt64(region.length), descriptor, UInt64(region.offset))
        else {
            close(descriptor)
            throw .outOfMemory
        }
        return Built(handle: handle)
    }

    private static func stream(_ source: ResponseStream) throws(Failure) -> Built {
        if source.knownLength == 0 { return try bytes([]) }
        let stream = StreamedResponse(source)
        let context = Unmanaged.passRetained(stream)
        guard
            let handle = MHD_create_response_from_callback(
                source.knownLength ?? cmicrohttpd_size_unknown,
                source.knownLength == nil ? openEndedBlockBytes : blockBytes, readStreamedResponse, context.toOpaque(),
                releaseStreamedResponse)
        else {
            context.release()
            throw .outOfMemory
        }
        return Built(handle: handle, stream: stream)
    }
}

extension ResponseStream {
    /// The length, or `nil` if it is unknown or out of range.
    fileprivate var knownLength: UInt64? {
        length.flatMap { UInt64(exactly: $0) }
    }
}

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
