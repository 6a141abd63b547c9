import Glibc

/// The clocks of the system.
package enum SystemClock {
    /// The whole seconds since 1970-01-01T00:00:00Z.
    package static func secondsSince1970() -> Int64 { Int64(read(CLOCK_REALTIME).tv_sec) }

    /// The whole milliseconds since 1970-01-01T00:00:00Z.
    package static func millisecondsSince1970() -> Int64 {
        let time = read(CLOCK_REALTIME)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The nanoseconds of `CLOCK_MONOTONIC`, which stands still while the machine sleeps.
    package static func monotonicNanoseconds() -> Int64 {
        let time = read(CLOCK_MONOTONIC)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The milliseconds since the start of the system, in which the machine may have slept.
    package static func millisecondsSinceBoot() -> Int64 {
        let time = read(CLOCK_BOOTTIME)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        // Fails only for clocks that do not exist. The pointer is used during the call only.
        _ = unsafe clock_gettime(clock, &time)
        return time
    }
}
