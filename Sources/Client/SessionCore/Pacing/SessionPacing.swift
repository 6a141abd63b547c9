import ErrandLocking

import struct Synchronization.Atomic

/// The rate that all transfers of a session share, in each direction.
///
/// A session that continues another one shares it, so that both together stay within the rate, and transfers under way
/// follow a new one. Any thread.
struct SessionPacing: Sendable {
    let receiving: SharedPace
    let sending: SharedPace

    /// Creates pacing without a limit.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant) {
        receiving = SharedPace(now: now)
        sending = SharedPace(now: now)
    }

    /// Sets the rate in each direction, in bytes per second; `nil` for no limit.
    func setBytesPerSecond(_ bytesPerSecond: Int64?) {
        receiving.setBytesPerSecond(bytesPerSecond)
        sending.setBytesPerSecond(bytesPerSecond)
    }
}

/// The shared rate of all transfers of a session in one direction.
///
/// A transfer that has moved bytes waits until they and the earlier bytes of the others are paid for, so that all get
/// their share in turn. Any thread.
final class SharedPace: Sendable {
    /// The bytes that may be transferred; `nil` without a limit.
    private let bucket = Mutex<TokenBucket?>(nil)
    private let limited = Atomic<Bool>(false)
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates a rate without a limit.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.now = now
    }

    /// Sets the rate, in bytes per second; `nil` for no limit.
    ///
    /// What was transferred in excess of the former rate still counts. Transfers that wait follow the new one within
    /// ``PacingMachine/longestTimer``.
    func setBytesPerSecond(_ bytesPerSecond: Int64?) {
        let now = now()
        bucket.withLock { bucket in
            bucket = bytesPerSecond.map { TokenBucket(bytesPerSecond: $0, at: now, continuing: bucket) }
            limited.store(bucket != nil, ordering: .relaxed)
        }
    }

    /// True if bytes may have to wait; read without a lock.
    var isLimited: Bool { limited.load(ordering: .relaxed) }

    /// Counts transferred bytes.
    func spend(_ bytes: Int) {
        let now = now()
        bucket.withLock { $0?.spend(bytes, at: now) }
    }

    /// The time until all transferred bytes are paid for.
    var wait: Duration {
        let now = now()
        return bucket.withLock { $0?.timeUntilPaid(at: now) } ?? .zero
    }
}

extension TokenBucket {
    /// Creates a bucket of bytes that holds the bytes of a tenth of a second: enough to compensate for late timers.
    ///
    /// - Parameter former: The bucket that it replaces, whose content or debt it takes over.
    init(bytesPerSecond: Int64, at now: ContinuousClock.Instant, continuing former: TokenBucket? = nil) {
        let count = Int(clamping: max(bytesPerSecond, 1))
        self.init(count, per: .seconds(1), capacity: count / 10, at: now)
        if let former { takeOver(former, at: now) }
    }
}
