import ErrandLocking

/// A body source of bytes in memory.
///
/// Any thread.
package final class MemorySource: BodySource {
    private let bytes: [UInt8]
    private let position = Mutex(0)

    /// Creates a source at its first byte.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package var length: Int64? { Int64(bytes.count) }

    package var isRepeatable: Bool { true }

    package func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        let start = position.withLock { $0 }
        let count = buffer.append(bytes, from: start)
        guard count > 0 else { return .end }
        position.withLock { $0 = start + count }
        return .bytes
    }

    package func rewind() -> Bool {
        position.withLock { $0 = 0 }
        return true
    }
}
