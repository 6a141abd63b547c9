import CErrandZlib

/// The owner of a `z_stream` that compresses.
///
/// The stream is on the heap: its state points back to it, so that it must never move (zlib checks this).
struct DeflateStream: ~Copyable {
    /// The most bytes that zlib gets at once: its own counter has 32 bits.
    private static let inputBytes = 1024 * 1024

    private let stream: UnsafeMutablePointer<z_stream>
    /// The buffer for output, which is then appended to the result.
    private var piece = [UInt8](repeating: 0, count: 64 * 1024)
    private var result: [UInt8] = []

    init(_ coding: ContentCoding) throws(CompressionError) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        // All zeros: no input, and zlib's own allocation functions.
        stream.initialize(to: z_stream())
        let status = czlib_deflate_init(stream, coding.windowBits)
        guard status == Z_OK else {
            stream.deallocate()
            throw CompressionError(status: status)
        }
        self.stream = stream
    }

    deinit {
        // The status only indicates whether the stream ended early, as it does after an error.
        _ = deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses the complete content and ends the stream.
    consuming func finish(_ bytes: [UInt8]) throws(CompressionError) -> [UInt8] {
        var rest = bytes[...]
        while rest.count > Self.inputBytes {
            let status = deflate(rest.prefix(Self.inputBytes), Z_NO_FLUSH)
            // No progress: all input had been consumed when the output buffer was exactly full.
            guard status == Z_OK || status == Z_BUF_ERROR else { throw CompressionError(status: status) }
            rest = rest.dropFirst(Self.inputBytes)
        }
        let status = deflate(rest, Z_FINISH)
        guard status == Z_STREAM_END else { throw CompressionError(status: status) }
        return result
    }

    /// Runs zlib until it has consumed the input and written all available output.
    private mutating func deflate(_ input: ArraySlice<UInt8>, _ flush: Int32) -> Int32 {
        input.withUnsafeBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            // Pointers must not stay in the stream after they become invalid.
            defer { stream.pointee.next_in = nil }
            var status = Z_OK
            repeat {
                status = fillPiece(flush)
                // If there is room left, there is no more output.
            } while status == Z_OK && stream.pointee.avail_out == 0
            return status
        }
    }

    private mutating func fillPiece(_ flush: Int32) -> Int32 {
        let (status, count) = piece.withUnsafeMutableBufferPointer { piece in
            stream.pointee.next_out = piece.baseAddress
            stream.pointee.avail_out = UInt32(piece.count)
            defer { stream.pointee.next_out = nil }
            let status = CErrandZlib.deflate(stream, flush)
            return (status, piece.count - Int(stream.pointee.avail_out))
        }
        result += piece[..<count]
        return status
    }
}

extension ContentCoding {
    /// The window size of 32 KiB; adding 16 selects the gzip format.
    fileprivate var windowBits: Int32 {
        switch self {
        case .gzip: 15 + 16
        case .deflate: 15
        }
    }
}
