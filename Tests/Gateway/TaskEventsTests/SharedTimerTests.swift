import ErrandSupport
import Testing

@testable import ErrandTaskEvents

@Suite("SharedTimer", .timeLimit(.hang))
struct SharedTimerTests {
    @Test("performs many actions with one sleep, each at its time")
    func order() async {
        let clock = ManualClock()
        let timer = SharedTimer(clock)
        let rung = EventLog<Int>()
        for number in 1...3 {
            _ = timer.set(after: .seconds(number), grain: .seconds(1)) { rung.append(number) }
        }
        #expect(await clock.sleeps.first(1) == [.seconds(1)])
        clock.advance(by: .seconds(1))
        #expect(await rung.first(1) == [1])
        _ = await clock.sleeps.first(2)
        clock.advance(by: .seconds(5))
        #expect(Set(await rung.first(3)) == [1, 2, 3])
    }

    @Test("shortens the sleep for an earlier action")
    func earlier() async {
        let clock = ManualClock()
        let timer = SharedTimer(clock)
        let rung = EventLog<String>()
        _ = timer.set(after: .seconds(60)) { rung.append("late") }
        _ = await clock.sleeps.first(1)
        _ = timer.set(after: .seconds(1)) { rung.append("early") }
        _ = await clock.sleeps.first(2)
        _ = await clock.cancellations.first(1)
        clock.advance(by: .seconds(1))
        #expect(await rung.first(1) == ["early"])
        _ = await clock.sleeps.first(3)
        clock.advance(by: .seconds(59))
        #expect(await rung.first(2) == ["early", "late"])
    }

    @Test("does not perform a canceled action")
    func canceled() async {
        let clock = ManualClock()
        let timer = SharedTimer(clock)
        let rung = EventLog<String>()
        let token = timer.set(after: .seconds(1)) { rung.append("canceled") }
        _ = timer.set(after: .seconds(2)) { rung.append("kept") }
        timer.cancel(token)
        _ = await clock.sleeps.first(1)
        clock.advance(by: .seconds(1))
        _ = await clock.sleeps.first(2)
        clock.advance(by: .seconds(1))
        #expect(await rung.first(1) == ["kept"])
    }
}
