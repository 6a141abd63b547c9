import ErrandTransfer

/// A body source that reads bytes in memory, for content too large to be sent along with the head.
///
/// `@unchecked Sendable`: only the loop's thread reads it.
final class BytesSource: BodySource, @unchecked Sendable {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var length: Int64? { Int64(bytes.count) }

    func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        let count = buffer.append(bytes, from: position)
        guard count > 0 else { return .end }
        position += count
        return .bytes
    }

    func rewind() -> Bool {
        position = 0
        return true
    }
}
