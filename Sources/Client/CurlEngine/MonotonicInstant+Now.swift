import ErrandTime
import ErrandTransfer

extension MonotonicInstant {
    /// The current time of `CLOCK_MONOTONIC`.
    static var now: MonotonicInstant {
        MonotonicInstant(nanoseconds: SystemClock.monotonicNanoseconds())
    }
}
