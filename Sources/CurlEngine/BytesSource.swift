import Transfer

/// Bytes in memory as a body source: for content too large to be sent along with the head.
///
/// `@unchecked Sendable`: read on the loop's thread alone.
final class BytesSource: BodySource, @unchecked Sendable {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var length: Int64? { Int64(bytes.count) }

    func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        let count = min(buffer.freeCapacity, bytes.count - position)
        guard count > 0 else { return .end }
        buffer.withUnsafeMutableBytes { target, initialized in
            bytes[position..<(position + count)].withUnsafeBytes { source in
                UnsafeMutableRawBufferPointer(rebasing: target[initialized...]).copyMemory(from: source)
            }
            initialized += count
        }
        position += count
        return .bytes
    }

    func rewind() -> Bool {
        position = 0
        return true
    }
}
