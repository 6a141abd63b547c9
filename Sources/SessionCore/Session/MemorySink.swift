import Locking
public import Transfer

/// Keeps content in memory.
///
/// Any thread. How much it may become is limited by the session.
public final class MemorySink: BodySink {
    private let bytes = Mutex<[UInt8]>([])

    /// Creates an empty sink.
    public init() {}

    /// Nothing to do: there is always room.
    public func begin(resume: @escaping @Sendable () -> Void) {}

    /// Takes the bytes.
    public func append(_ bytes: RawSpan) -> ReceiveDecision {
        // Safe: the chunk is copied from while the span is borrowed, and nothing keeps a pointer into it.
        unsafe bytes.withUnsafeBytes { chunk in
            self.bytes.withLock { unsafe $0.append(contentsOf: chunk) }
        }
        return .more
    }

    /// The bytes, which the sink gives away.
    public func finish() async throws(TransferError) -> ReceivedBody {
        let content = take()
        return ReceivedBody(size: Int64(content.count), content: .bytes(content))
    }

    /// Forgets them.
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
