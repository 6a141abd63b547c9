import ErrandSupport
import Glibc

/// The rate at which a gateway acknowledges requests.
///
/// It is measured together with the speed of the machine, and with the share of it that others left: a fault lasts up to
/// 80 seconds, in which a shared machine becomes faster or slower by half.
final class Pace {
    /// The number of acknowledgements in one measurement.
    ///
    /// In the long form they take about a second, as the system tells processor times in hundredths of a second.
    static let windowCount = Soak.isWanted ? 1000 : 200
    /// The number of measurements that say how fast a gateway is without a fault.
    ///
    /// They take about five seconds: a shorter fast moment would be reached again only by chance.
    private static let windows = 5
    /// The fraction of the usual rate that counts as recovered: single measurements differ by as much.
    private static let sameSpeed = 0.9

    private let acknowledgements: EventCounter
    private let gateway: ChaosGateway
    private let clock = ContinuousClock()
    /// The usual time of a measurement, without a fault.
    private(set) var window = Window(time: .zero, unit: .zero, share: 1)

    /// A measurement.
    struct Window: CustomStringConvertible {
        /// The time in which ``windowCount`` requests were acknowledged.
        var time: Duration
        /// The processor time of a fixed amount of work.
        var unit: Duration
        /// The share of the processors that others than the gateway and this process left.
        var share: Double

        /// The time in units, which does not depend on the speed of the machine, and on others that use it.
        var units: Double { unit > .zero ? time * share / unit : 0 }

        var description: String { "\(time), \(Int(units)) units, with \(Int(share * 100)) % of the machine" }
    }

    init(_ acknowledgements: EventCounter, of gateway: ChaosGateway) {
        self.acknowledgements = acknowledgements
        self.gateway = gateway
    }

    /// Measures the usual rate, without a fault.
    func learn() async throws {
        try await acknowledgements.wait(for: Self.windowCount)
        var measured: [Window] = []
        for _ in 0..<(Soak.isWanted ? Self.windows : 1) { measured.append(try await measure()) }
        window = measured.sorted { $0.units < $1.units }[measured.count / 2]
    }

    /// Waits until the rate has recovered.
    ///
    /// Outside of the long form any rate will do, as it depends on the other programs of the machine.
    ///
    /// - Returns: The time until the measurement that showed it began.
    func timeToRecover() async throws -> Duration {
        let start = clock.now
        while true {
            let begin = clock.now
            let measured = try await measure()
            if measured.units * Self.sameSpeed <= window.units || !Soak.isWanted { return begin - start }
            print("still slower: \(measured)")
        }
    }

    private func measure() async throws -> Window {
        let process = try await gateway.process.process
        let (start, before) = (clock.now, try MachineTime(besides: process))
        try await acknowledgements.wait(for: Self.windowCount)
        let share = try MachineTime(besides: process).shareLeft(since: before)
        return Window(time: clock.now - start, unit: MachineSpeed.unit(), share: share)
    }
}

/// The speed of the machine at a moment.
private enum MachineSpeed {
    /// The words that the work reads: more than the caches of a core hold.
    private static let words = (0..<(1 << 18)).map { UInt64($0) &* 0x9E37_79B9_7F4A_7C15 }
    /// The number of reads: a few milliseconds.
    private static let reads = 50_000

    /// Returns the processor time that a fixed amount of work takes now.
    static func unit() -> Duration {
        let start = processorTime()
        var (sum, index) = (UInt64(0), 0)
        for _ in 0..<reads {
            sum = (sum ^ words[index]) &* 0xBF58_476D_1CE4_E5B9
            index = Int(truncatingIfNeeded: sum >> 46)
        }
        let time = processorTime() - start
        // The result is used, so that no compiler leaves the work out.
        return sum == 0 ? time + .nanoseconds(1) : time
    }

    private static func processorTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
