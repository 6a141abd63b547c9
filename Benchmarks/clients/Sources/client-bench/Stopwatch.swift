import Glibc

/// The wall-clock time and the processor time since its creation.
struct Stopwatch {
    private let start = ContinuousClock.now
    private let used = Self.processorTime()

    /// Prints requests a second, and the processor time of one in microseconds.
    func printRate(of requests: Int) {
        let (seconds, processorSeconds) = times()
        print("\(Int(Double(requests) / seconds)) \(Int(processorSeconds * 1e6 / Double(requests)))")
    }

    /// Prints the time and the processor time in seconds.
    func printTime() {
        let (seconds, processorSeconds) = times()
        print("\(rounded(seconds)) \(rounded(processorSeconds))")
    }

    private func times() -> (seconds: Double, processorSeconds: Double) {
        (start.duration(to: .now) / .seconds(1), (Self.processorTime() - used) / .seconds(1))
    }

    private func rounded(_ seconds: Double) -> Double { (seconds * 100).rounded() / 100 }

    /// The processor time of all threads, with that in the kernel.
    private static func processorTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
