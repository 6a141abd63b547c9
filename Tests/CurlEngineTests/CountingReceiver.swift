import Transfer

import struct Synchronization.Atomic

/// A receiver that counts what it gets, keeps none of it, and has enough at some point.
final class CountingReceiver: TransferReceiver {
    /// What it says when it has enough.
    static let tooLarge = TransferError(.bodyTooLarge, "too large")

    private let limit: Int
    private let received = Atomic<Int>(0)

    /// Creates a receiver that takes `limit` bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// The bytes that were offered.
    var count: Int { received.load(ordering: .relaxed) }

    func transferDidStart(_ control: any TransferControl) {}

    func transferDidReceive(_ head: ResponseHead) -> HeadDecision { .proceed }

    func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision {
        let count = received.add(bytes.byteCount, ordering: .relaxed).newValue
        return count > limit ? .stop(Self.tooLarge) : .more
    }
}
