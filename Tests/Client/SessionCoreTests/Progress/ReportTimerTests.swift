import ErrandSupport
import Testing

@testable import ErrandSessionCore

@Suite("A timer of reports", .timeLimit(.hang))
struct ReportTimerTests {
    private let clock = ManualClock()
    private let fired = EventLog<Int>()

    private func start(_ timer: inout ReportTimer) {
        timer.start(by: clock) { [fired] in fired.append($0) }
    }

    @Test("is started by the first change, and fires once, a tenth of a second later")
    func once() async {
        var timer = ReportTimer()
        let mustStart = timer.note()
        start(&timer)
        #expect(mustStart)
        #expect(await clock.sleeps.first(1) == [.milliseconds(100)])
        clock.advance(by: .milliseconds(100))
        #expect(await fired.first(1) == [1])
        let hasFired = timer.didFire(1)
        let hasFiredAgain = timer.didFire(1)
        #expect(hasFired)
        #expect(!hasFiredAgain)
        #expect(!timer.isNoted)
    }

    @Test("is followed by another one if there was a change while it ran")
    func again() async {
        var timer = ReportTimer()
        _ = timer.note()
        start(&timer)
        let mustStart = timer.note()
        #expect(!mustStart)
        _ = await clock.sleeps.first(1)
        clock.advance(by: .milliseconds(100))
        #expect(await fired.first(1) == [1])
        let hasFired = timer.didFire(1)
        #expect(hasFired)
        #expect(timer.isNoted)
        start(&timer)
        #expect(!timer.isNoted)
        timer.stop()
    }

    @Test("does nothing after it was stopped, also if it fires at that moment and another one has begun")
    func stopped() async {
        var timer = ReportTimer()
        _ = timer.note()
        start(&timer)
        timer.stop()
        _ = await clock.cancellations.first(1)
        #expect(clock.sleeperCount == 0)
        let mustStart = timer.note()
        #expect(mustStart)
        start(&timer)
        let hasFormerFired = timer.didFire(1)
        #expect(!hasFormerFired)
        await clock.sleepers(1)
        clock.advance(by: .milliseconds(100))
        #expect(await fired.first(1) == [2])
        let hasFired = timer.didFire(2)
        #expect(hasFired)
    }
}
