import ErrandSupport
import Foundation
import Glibc

/// The processor time that the machine has spent up to a moment, and the part of others than the gateway and this
/// process.
///
/// Others are other programs, the kernel where it works for none, and the other guests of the host (`steal` of proc(5)).
struct MachineTime {
    /// All time, also that in which a processor was idle.
    private let all: Duration
    /// The time of others.
    private let others: Duration

    /// The system does not tell its times.
    struct Unknown: Error {}

    /// Reads the times of now.
    init(besides gateway: ChildProcess) throws {
        let line = try String(contentsOfFile: "/proc/stat", encoding: .utf8).prefix { $0 != "\n" }
        // user, nice, system, idle, iowait, irq, softirq, steal
        let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { Int($0) }
        guard ticks.count == 8 else { throw Unknown() }
        let tick = Duration.seconds(1) / sysconf(Int32(_SC_CLK_TCK))
        let sum = ticks.reduce(0, +)
        var own = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own)
        all = tick * sum
        others =
            tick * (sum - ticks[3] - ticks[4]) - .seconds(own.tv_sec) - .nanoseconds(own.tv_nsec)
            - (try gateway.processorTime())
    }

    /// Returns the share of the processors that others have left since an earlier moment, from 0 to 1.
    func shareLeft(since earlier: MachineTime) -> Double {
        let all = all - earlier.all
        guard all > .zero else { return 1 }
        return min(max(1 - (others - earlier.others) / all, 0), 1)
    }
}
