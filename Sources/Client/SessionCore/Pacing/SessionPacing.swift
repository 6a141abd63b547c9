import ErrandLocking

/// The rate that all transfers of a session share, in each direction.
struct SessionPacing: Sendable {
    let receiving: SharedPace
    let sending: SharedPace

    /// Creates pacing with a rate in bytes per second; `nil` if there is no limit.
    init?(bytesPerSecond: Int64?, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        guard let bytesPerSecond else { return nil }
        receiving = SharedPace(bytesPerSecond: bytesPerSecond, now: now)
        sending = SharedPace(bytesPerSecond: bytesPerSecond, now: now)
    }
}

/// The shared rate of all transfers of a session in one direction.
///
/// A transfer that has moved bytes waits until they and the earlier bytes of the others are paid for, so that all get
/// their share in turn. Any thread.
final class SharedPace: Sendable {
    private let bucket: Mutex<TokenBucket>
    private let now: @Sendable () -> ContinuousClock.Instant

    init(bytesPerSecond: Int64, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.now = now
        bucket = Mutex(TokenBucket(bytesPerSecond: bytesPerSecond, at: now()))
    }

    /// Counts transferred bytes.
    func spend(_ bytes: Int) {
        let now = now()
        bucket.withLock { $0.spend(bytes, at: now) }
    }

    /// The time until all transferred bytes are paid for.
    var wait: Duration {
        let now = now()
        return bucket.withLock { $0.timeUntilPaid(at: now) }
    }
}

extension TokenBucket {
    /// Creates a bucket of bytes that holds the bytes of a tenth of a second: enough to compensate for late timers.
    init(bytesPerSecond: Int64, at now: ContinuousClock.Instant) {
        let count = Int(clamping: max(bytesPerSecond, 1))
        self.init(count, per: .seconds(1), capacity: count / 10, at: now)
    }
}
