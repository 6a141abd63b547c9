import CErrandZlib
import Glibc

/// A stage that undoes one content coding: the owner of a `z_stream` and of its output buffer.
///
/// Both are allocated with the first byte. The stream is on the heap: its state points back to it, so that it must
/// never move (zlib checks this).
///
/// ```
/// unread ──first byte──▶ inside ──its end──▶ ended ──a zero──▶ padding
///                          ▲                   │
///                          └──another member───┘
/// ```
final class InflateStage {
    private enum State {
        /// No byte has been received.
        case unread
        /// In a member, or in the one stream of `deflate`.
        case inside
        /// After the end.
        case ended
        /// After the end; only zeros may follow.
        case padding
    }

    let coding: ContentCoding
    private var state = State.unread
    private var stream: UnsafeMutablePointer<z_stream>?
    private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// The part of the buffer that contains output.
    private var filled = 0..<0
    /// True if zlib had no room left, and may have more output.
    private(set) var mayHaveMore = false

    /// Creates a stage before its first byte.
    init(_ coding: ContentCoding) {
        self.coding = coding
    }

    deinit {
        if let stream {
            // The status only indicates whether the stream ended early.
            _ = inflateEnd(stream)
            stream.deallocate()
        }
        buffer.deallocate()
    }

    /// A Boolean value that indicates whether a byte has been received.
    var hasBegun: Bool {
        if case .unread = state { false } else { true }
    }

    /// A Boolean value that indicates whether the received bytes are complete.
    var isAtEnd: Bool {
        switch state {
        case .unread, .inside: false
        case .ended, .padding: true
        }
    }

    /// The decoded output that was not dropped; valid until the next call.
    var output: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[filled]) }

    /// Drops the first bytes of the output.
    func dropOutput(_ count: Int) {
        filled = (filled.lowerBound + count)..<filled.upperBound
    }

    /// Decodes until there is output or all input is consumed.
    ///
    /// Call it only when there is no output left.
    ///
    /// - Returns: The number of consumed input bytes.
    func inflate(_ input: UnsafeRawBufferPointer) throws(ContentDecodingError) -> Int {
        var taken = 0
        filled = 0..<0
        while true {
            switch state {
            case .unread:
                guard let first = input.first else { return taken }
                try begin(first: first)
                state = .inside
            case .inside:
                guard taken < input.count || mayHaveMore else { return taken }
                try step(input, &taken)
                if !filled.isEmpty { return taken }
            case .ended:
                guard taken < input.count else { return taken }
                try beginNext(input[taken])
            case .padding:
                guard Self.isZero(UnsafeRawBufferPointer(rebasing: input[taken...])) else { throw trailingBytes }
                return input.count
            }
        }
    }

    /// Returns true if all bytes are zero: the first one is, and each other equals the one before it.
    private static func isZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress, let first = bytes.first else { return true }
        return first == 0 && memcmp(start, start + 1, bytes.count - 1) == 0
    }

    /// Decides how to process the bytes after the end of a member.
    private func beginNext(_ first: UInt8) throws(ContentDecodingError) {
        switch (coding, first, stream) {
        // Every member begins with this byte (RFC 1952 §2.3.1).
        case (.gzip, 0x1F, let stream?):
            guard inflateReset(stream) == Z_OK else { throw damaged }
            state = .inside
        case (_, 0, _):
            state = .padding
        default:
            throw trailingBytes
        }
    }

    private func begin(first: UInt8) throws(ContentDecodingError) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        // All zeros: no input, and zlib's own allocation functions.
        stream.initialize(to: z_stream())
        let status = czlib_inflate_init(stream, coding.windowBits(first: first))
        guard status == Z_OK else {
            stream.deallocate()
            throw ContentDecodingError("The content cannot be decoded: \(CompressionError(status: status))")
        }
        self.stream = stream
        buffer = .allocate(byteCount: ContentDecoder.pieceBytes, alignment: 16)
    }

    /// Runs zlib once: it consumes all input, fills the buffer or reaches an end.
    private func step(_ input: UnsafeRawBufferPointer, _ taken: inout Int) throws(ContentDecodingError) {
        guard let stream else { throw damaged }
        // Input pieces are far smaller than the maximum of a 32-bit counter.
        let rest = UnsafeRawBufferPointer(rebasing: input[taken...].prefix(1 << 30)).bindMemory(to: UInt8.self)
        stream.pointee.next_in = rest.baseAddress
        stream.pointee.avail_in = UInt32(rest.count)
        stream.pointee.next_out = buffer.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = UInt32(buffer.count)
        let status = CErrandZlib.inflate(stream, Z_NO_FLUSH)
        taken += rest.count - Int(stream.pointee.avail_in)
        filled = 0..<(buffer.count - Int(stream.pointee.avail_out))
        mayHaveMore = stream.pointee.avail_out == 0
        // Pointers must not stay in the stream after they become invalid.
        stream.pointee.next_in = nil
        stream.pointee.next_out = nil
        switch status {
        case Z_OK:
            break
        case Z_STREAM_END:
            state = .ended
            mayHaveMore = false
        // More input is needed; there is no pending output.
        case Z_BUF_ERROR where taken == input.count:
            break
        default:
            throw damaged
        }
    }

    private var damaged: ContentDecodingError {
        ContentDecodingError("The content is damaged: it does not follow the format of its \(coding.rawValue) coding")
    }

    private var trailingBytes: ContentDecodingError {
        ContentDecodingError("The content continues after the end of its \(coding.rawValue) coding")
    }
}

extension ContentCoding {
    /// Returns the window bits, which select the format: a window of 32 KiB, 16 more for gzip, negative for raw
    /// deflate.
    ///
    /// - Parameter first: The first byte. In the zlib format its low half is 8 (RFC 1950 §2.2); raw deflate begins with
    ///   this value only for a stored block with non-zero padding, which no compressor writes.
    fileprivate func windowBits(first: UInt8) -> Int32 {
        switch self {
        case .gzip: 15 + 16
        case .deflate: first & 0x0F == 8 && first >> 4 <= 7 ? 15 : -15
        }
    }
}
