import ErrandAuthentication
import ErrandLocking
import ErrandTransfer

/// Clocks that a test advances.
final class ManualClock: Sendable {
    private let elapsed = Mutex(Duration.zero)
    /// 2015-08-30T12:36:00Z, the start of both clocks.
    private let begin: Int64 = 1_440_938_160

    var clock: AuthenticationClock {
        AuthenticationClock(
            monotonic: { MonotonicInstant(nanoseconds: 0).advanced(by: self.elapsed.withLock { $0 }) },
            secondsSince1970: { self.begin + self.elapsed.withLock { $0.components.seconds } })
    }

    func advance(by duration: Duration) {
        elapsed.withLock { $0 += duration }
    }
}
