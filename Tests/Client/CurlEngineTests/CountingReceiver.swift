import ErrandTransfer

import struct Synchronization.Atomic

/// A receiver that counts bytes without keeping them, up to a limit.
final class CountingReceiver: TransferReceiver {
    /// The error beyond the limit.
    static let tooLarge = TransferError(.bodyTooLarge, "too large")

    private let limit: Int
    private let received = Atomic<Int>(0)

    /// Creates a receiver that accepts `limit` bytes; any number by default.
    init(limit: Int = .max) {
        self.limit = limit
    }

    /// The number of bytes that were offered.
    var count: Int { received.load(ordering: .relaxed) }

    func transferDidStart(_ control: any TransferControl) {}

    func transferDidReceive(_ head: ResponseHead) -> HeadDecision { .proceed }

    func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision {
        let count = received.add(bytes.byteCount, ordering: .relaxed).newValue
        return count > limit ? .stop(Self.tooLarge) : .more
    }
}
