import CMicroHTTPD
import Glibc
import HTTPServer
import HTTPTypes

/// Makes libmicrohttpd's responses out of answers.
enum ResponseBuilder {
    /// How much of a streamed answer libmicrohttpd asks for at once, where the length is known.
    private static let blockBytes = 64 * 1024

    /// What the answer is to.
    struct Context {
        var method: HTTPRequest.Method
        /// The connection ends after the answer.
        var closes: Bool
    }

    /// A response and, for a streamed answer, what it is read from.
    struct Built {
        /// Owned by the caller.
        var handle: OpaquePointer
        var stream: AnswerStream?
    }

    /// Makes a response; `nil` when a file cannot be opened or memory is short.
    static func response(for answer: ServerResponse, in context: Context) -> Built? {
        guard let built = content(of: answer, in: context) else { return nil }
        for field in answer.headers where !ResponseFields.areServers(field.name) {
            MHD_add_response_header(built.handle, field.name.rawName, field.value)
        }
        if context.closes {
            MHD_add_response_header(built.handle, "Connection", "close")
        }
        return built
    }

    private static func content(of answer: ServerResponse, in context: Context) -> Built? {
        let sendsContent = context.method != .head && answer.status != .notModified
        switch answer.body {
        case .empty:
            // The length of a 304 is that of the content which is not sent (RFC 9110 §8.6), and nobody knows it here.
            return answer.status == .notModified ? announced(length: nil) : bytes([])
        case .bytes(let content):
            return sendsContent ? bytes(content) : announced(length: UInt64(content.count))
        case .file(let region):
            return sendsContent ? file(region) : announced(length: UInt64(max(0, region.length)))
        case .stream(let source):
            return sendsContent ? stream(source) : announced(length: source.length.flatMap(UInt64.init(exactly:)))
        }
    }

    private static func bytes(_ content: [UInt8]) -> Built? {
        content.withUnsafeBytes { buffer in
            // libmicrohttpd copies the content, and does not change it in spite of the parameter's type.
            MHD_create_response_from_buffer(
                buffer.count, UnsafeMutableRawPointer(mutating: buffer.baseAddress), .RESPMEM_MUST_COPY)
        }.map { Built(handle: $0) }
    }

    /// A response whose content is not sent, but whose length is.
    ///
    /// Without a length it ends the connection: libmicrohttpd would write the last chunk of a chunked content that the
    /// client does not expect.
    private static func announced(length: UInt64?) -> Built? {
        guard
            let handle = MHD_create_response_from_callback(
                length ?? cmicrohttpd_size_unknown, 1, readNothing, nil, nil)
        else { return nil }
        if length == nil {
            cmicrohttpd_end_with_connection(handle)
        }
        return Built(handle: handle)
    }

    private static func file(_ region: FileRegion) -> Built? {
        guard region.length > 0 else { return bytes([]) }
        let descriptor = open(region.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard region.offset >= 0, fstat(descriptor, &status) == 0, region.length <= Int64(status.st_size) - region.offset,
            let handle = MHD_create_response_from_fd_at_offset64(
                UInt64(region.length), descriptor, UInt64(region.offset))
        else {
            close(descriptor)
            return nil
        }
        return Built(handle: handle)
    }

    private static func stream(_ source: ResponseStream) -> Built? {
        if source.length == 0 { return bytes([]) }
        let stream = AnswerStream(source)
        let context = Unmanaged.passRetained(stream)
        guard
            let handle = MHD_create_response_from_callback(
                source.length.flatMap(UInt64.init(exactly:)) ?? cmicrohttpd_size_unknown, blockBytes, readAnswerStream,
                context.toOpaque(), releaseAnswerStream)
        else {
            context.release()
            return nil
        }
        return Built(handle: handle, stream: stream)
    }
}
