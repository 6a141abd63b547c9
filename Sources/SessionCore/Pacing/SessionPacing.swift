import Locking

/// What all transfers of a session may move together, in each direction.
struct SessionPacing: Sendable {
    let receiving: SharedPace
    let sending: SharedPace

    /// A pace of so many bytes for each second; `nil` when there is no limit.
    init?(bytesPerSecond: Int64?, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        guard let bytesPerSecond else { return nil }
        receiving = SharedPace(bytesPerSecond: bytesPerSecond, now: now)
        sending = SharedPace(bytesPerSecond: bytesPerSecond, now: now)
    }
}

/// One direction of all transfers of a session.
///
/// Who moves bytes waits until they are paid, those of the others before him included, so that all get their share in
/// turn. Any thread.
final class SharedPace: Sendable {
    private let bucket: Mutex<TokenBucket>
    private let now: @Sendable () -> ContinuousClock.Instant

    init(bytesPerSecond: Int64, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.now = now
        bucket = Mutex(TokenBucket(bytesPerSecond: bytesPerSecond, at: now()))
    }

    /// Counts bytes that have moved.
    func spend(_ bytes: Int) {
        let now = now()
        bucket.withLock { $0.spend(bytes, at: now) }
    }

    /// How long until all that have moved are paid.
    var wait: Duration {
        let now = now()
        return bucket.withLock { $0.timeUntilPaid(at: now) }
    }
}

extension TokenBucket {
    /// A bucket of bytes that holds a tenth of a second's: enough to make up for timers that are late.
    init(bytesPerSecond: Int64, at now: ContinuousClock.Instant) {
        let count = Int(clamping: max(bytesPerSecond, 1))
        self.init(count, per: .seconds(1), capacity: count / 10, at: now)
    }
}
