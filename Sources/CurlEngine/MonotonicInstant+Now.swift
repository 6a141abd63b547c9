import Glibc
import Transfer

extension MonotonicInstant {
    /// The time that `CLOCK_MONOTONIC` tells.
    static var now: MonotonicInstant {
        var time = timespec()
        // Fails for clocks that do not exist only.
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
