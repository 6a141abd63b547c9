import ErrandLocking
import ErrandTransfer

/// A body source of bytes in memory, for content that is sent in pieces.
///
/// Any thread.
final class MemorySource: BodySource {
    private let bytes: [UInt8]
    private let position = Mutex(0)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var length: Int64? { Int64(bytes.count) }

    func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        let start = position.withLock { $0 }
        let count = buffer.append(bytes, from: start)
        guard count > 0 else { return .end }
        position.withLock { $0 = start + count }
        return .bytes
    }

    func rewind() -> Bool {
        position.withLock { $0 = 0 }
        return true
    }
}
