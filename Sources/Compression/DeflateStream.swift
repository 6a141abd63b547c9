import CZlib

/// The owner of one `z_stream` that compresses.
///
/// The stream lives on the heap: its state points back to it, so that it must never move (zlib checks that).
struct DeflateStream: ~Copyable {
    /// What zlib is given at once, in bytes: its own counter has 32 bits.
    private static let inputBytes = 1024 * 1024

    private let stream: UnsafeMutablePointer<z_stream>
    /// What the stream writes into before it is appended to the result.
    private var piece = [UInt8](repeating: 0, count: 64 * 1024)
    private var result: [UInt8] = []

    init(_ coding: ContentCoding) throws(CompressionError) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        // All zeros: no input, and zlib's own functions for memory.
        stream.initialize(to: z_stream())
        let status = czlib_deflate_init(stream, coding.windowBits)
        guard status == Z_OK else {
            stream.deallocate()
            throw CompressionError(status: status)
        }
        self.stream = stream
    }

    deinit {
        // Its status only tells whether the stream ended in the middle, as it does behind an error.
        _ = deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses the whole content and ends the stream.
    consuming func finish(_ bytes: [UInt8]) throws(CompressionError) -> [UInt8] {
        var rest = bytes[...]
        while rest.count > Self.inputBytes {
            let status = deflate(rest.prefix(Self.inputBytes), Z_NO_FLUSH)
            // No progress: all input had been taken when the room for output was just full.
            guard status == Z_OK || status == Z_BUF_ERROR else { throw CompressionError(status: status) }
            rest = rest.dropFirst(Self.inputBytes)
        }
        let status = deflate(rest, Z_FINISH)
        guard status == Z_STREAM_END else { throw CompressionError(status: status) }
        return result
    }

    /// Lets zlib work until it has taken the input and given what it will give for it.
    private mutating func deflate(_ input: ArraySlice<UInt8>, _ flush: Int32) -> Int32 {
        input.withUnsafeBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            // No pointer stays in the stream beyond the time for which it is valid.
            defer { stream.pointee.next_in = nil }
            var status = Z_OK
            repeat {
                status = fillPiece(flush)
                // While there is room left, there was no more to write.
            } while status == Z_OK && stream.pointee.avail_out == 0
            return status
        }
    }

    private mutating func fillPiece(_ flush: Int32) -> Int32 {
        let (status, count) = piece.withUnsafeMutableBufferPointer { piece in
            stream.pointee.next_out = piece.baseAddress
            stream.pointee.avail_out = UInt32(piece.count)
            defer { stream.pointee.next_out = nil }
            let status = CZlib.deflate(stream, flush)
            return (status, piece.count - Int(stream.pointee.avail_out))
        }
        result += piece[..<count]
        return status
    }
}

extension ContentCoding {
    /// A window of 32 KiB; 16 more asks zlib for the gzip format.
    fileprivate var windowBits: Int32 {
        switch self {
        case .gzip: 15 + 16
        case .deflate: 15
        }
    }
}
