import ErrandSupport
import Testing

@testable import ErrandTime

@Suite("A sleep of a clock", .timeLimit(.hang))
struct ClockBoundedSleepTests {
    @Test("lasts for a century at the longest")
    func bounds() async throws {
        let clock = ManualClock()
        for (duration, sleep) in [(5, 5), (.max, 100 * 366 * 86_400)] as [(Int64, Int64)] {
            let count = clock.sleeps.events.count
            let sleeper = Task { try await clock.boundedSleep(for: .seconds(duration)) }
            #expect(await clock.sleeps.first(count + 1).last == .seconds(sleep))
            clock.advance(by: .seconds(sleep))
            try await sleeper.value
        }
    }

    @Test("may be longer than the system's clock can add to its own time")
    func systemClock() async {
        let sleeper = Task { try await ContinuousClock().boundedSleep(for: .seconds(Int64.max)) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
}
