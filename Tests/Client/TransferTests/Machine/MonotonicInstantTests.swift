import ErrandTransfer
import Testing

@Suite("MonotonicInstant")
struct MonotonicInstantTests {
    private let start = MonotonicInstant(nanoseconds: 5_000_000_000)

    @Test("is advanced by durations and measures them")
    func moves() {
        #expect(start.advanced(by: .milliseconds(1_500)).nanoseconds == 6_500_000_000)
        #expect(start.advanced(by: .milliseconds(-1_500)).nanoseconds == 3_500_000_000)
        #expect(start.duration(to: MonotonicInstant(nanoseconds: 5_000_000_001)) == .nanoseconds(1))
        #expect(start.duration(to: MonotonicInstant(nanoseconds: 0)) == .seconds(-5))
        #expect(MonotonicInstant(nanoseconds: 1) < MonotonicInstant(nanoseconds: 2))
    }

    @Test(
        "is clamped instead of overflowing", arguments: [Duration.seconds(Int64.max), .seconds(9_300_000_000)])
    func ends(duration: Duration) {
        #expect(start.advanced(by: duration).nanoseconds == .max)
        #expect(MonotonicInstant(nanoseconds: -5).advanced(by: .zero - duration).nanoseconds == .min)
        let all = MonotonicInstant(nanoseconds: .min).duration(to: MonotonicInstant(nanoseconds: .max))
        #expect(all > .seconds(18_000_000_000))
    }
}
