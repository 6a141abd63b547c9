import ErrandHTTPServer

/// Deterministic content of any length, with random access to each byte.
///
/// It repeats a block of 65,521 (a prime number) pseudo-random bytes, so that lost, duplicated or misplaced parts are
/// detected, and a part costs one copy.
enum PatternContent {
    /// The number of bytes in each part of a stream.
    static let partBytes: Int64 = 64 * 1024

    /// The largest shift that makes other content.
    static let maxVersion = period - 1

    private static let period: Int64 = 65_521

    /// Twice the block, so that any part up to its length is one slice.
    private static let block: [UInt8] = {
        var state: UInt64 = 0
        let bytes = (0..<period).map { _ in
            // SplitMix64.
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return UInt8(truncatingIfNeeded: mixed ^ mixed >> 31)
        }
        return bytes + bytes
    }()

    /// Returns the bytes at some positions.
    static func bytes(_ positions: Range<Int64>) -> [UInt8] {
        let start = Int(positions.lowerBound % period)
        guard positions.count > Int(period) else { return Array(block[start..<start + positions.count]) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(positions.count)
        var next = positions.lowerBound
        while next < positions.upperBound {
            let end = min(next + period, positions.upperBound)
            bytes += Self.bytes(next..<end)
            next = end
        }
        return bytes
    }

    /// Returns the bytes at some positions as a stream of known length.
    ///
    /// - Parameter limit: The number of bytes after which the stream fails, so that the connection ends; `nil` for none.
    static func stream(_ positions: Range<Int64>, endingAfter limit: Int64? = nil) -> ResponseStream {
        let count = Int64(positions.count)
        let sent = min(limit ?? count, count)
        let cursor = Cursor(positions.lowerBound..<positions.lowerBound + sent)
        return ResponseStream(length: count) {
            if let part = cursor.take(upTo: partBytes) { return bytes(part) }
            // An end that was asked for is no failure to report.
            guard sent == count else { throw CancellationError() }
            return nil
        }
    }
}
