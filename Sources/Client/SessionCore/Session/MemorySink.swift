import ErrandLocking
public import ErrandTransfer

/// A sink that keeps content in memory.
///
/// Any thread. The session limits the size.
public final class MemorySink: BodySink {
    private let bytes = Mutex<[UInt8]>([])

    /// Creates an empty sink.
    public init() {}

    /// Does nothing, as there is always room.
    public func begin(resume: @escaping @Sendable () -> Void) {}

    /// Appends the bytes.
    public func append(_ bytes: RawSpan) -> ReceiveDecision {
        // Safe: the chunk is copied while the span is borrowed, and no pointer into it is retained.
        unsafe bytes.withUnsafeBytes { chunk in
            self.bytes.withLock { unsafe $0.append(contentsOf: chunk) }
        }
        return .more
    }

    /// Returns the bytes, and empties the sink.
    public func finish() async throws(TransferError) -> ReceivedBody {
        let content = take()
        return ReceivedBody(size: Int64(content.count), content: .bytes(content))
    }

    /// Empties the sink.
    public func discard() async {
        _ = take()
    }

    private func take() -> [UInt8] {
        bytes.withLock { bytes in
            let taken = bytes
            bytes = []
            return taken
        }
    }
}
