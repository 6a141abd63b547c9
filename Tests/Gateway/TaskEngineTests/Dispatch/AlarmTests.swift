import ErrandLocking
import ErrandSupport
import Testing

@testable import ErrandTaskEngine

@Suite("Alarm", .timeLimit(.hang))
struct AlarmTests {
    private let clock = ManualClock()
    private let rings = EventLog<Duration>()

    /// Creates an alarm for moments after the zero of the clock.
    private func alarm(
        longestSleep: Duration? = nil, _ ring: @escaping @Sendable () async -> Duration? = { nil }
    ) -> Alarm<Duration> {
        Alarm(
            clock: clock, longestSleep: longestSleep, remaining: { [clock] in $0 - clock.now.offset },
            ring: { [clock, rings] in
                rings.append(clock.now.offset)
                return await ring()
            })
    }

    @Test("It fires at the earliest of the moments that it was set to, and only then")
    func earliest() async {
        let alarm = alarm()
        alarm.set(to: .seconds(30))
        #expect(await clock.sleeps.first(1) == [.seconds(30)])
        alarm.set(to: .seconds(10))
        #expect(await clock.sleeps.first(2) == [.seconds(30), .seconds(10)])
        alarm.set(to: .seconds(20))
        clock.advance(by: .seconds(10))
        #expect(await rings.first(1) == [.seconds(10)])
        await alarm.stop()
    }

    @Test("It fires next at the moment that its action returns")
    func following() async {
        let alarm = alarm { [clock] in clock.now.offset + .seconds(5) }
        alarm.set(to: .zero)
        _ = await rings.first(1)
        _ = await clock.sleeps.first(1)
        clock.advance(by: .seconds(5))
        #expect(await rings.first(2) == [.zero, .seconds(5)])
        await alarm.stop()
    }

    @Test("A moment set while the action runs is considered afterwards")
    func setWhileRinging() async {
        let (isRinging, goesOn) = (Signal<Void>(), Signal<Void>())
        let first = Mutex(true)
        let alarm = alarm {
            guard
                first.withLock({ first in
                    defer { first = false }; return first
                })
            else { return nil }
            isRinging.send()
            await goesOn.wait()
            return .seconds(60)
        }
        alarm.set(to: .zero)
        await isRinging.wait()
        alarm.set(to: .seconds(7))
        goesOn.send()
        #expect(await clock.sleeps.first(1) == [.seconds(7)])
        clock.advance(by: .seconds(7))
        #expect(await rings.first(2) == [.zero, .seconds(7)])
        await alarm.stop()
    }

    @Test("It reads the clock again after the longest sleep, as the clock may have been set")
    func longestSleep() async {
        let alarm = alarm(longestSleep: .seconds(60))
        alarm.set(to: .seconds(100))
        #expect(await clock.sleeps.first(1) == [.seconds(60)])
        clock.advance(by: .seconds(60))
        #expect(await clock.sleeps.first(2) == [.seconds(60), .seconds(40)])
        clock.advance(by: .seconds(40))
        #expect(await rings.first(1) == [.seconds(100)])
        await alarm.stop()
    }

    @Test("Once stopped it does not fire, and a running action is completed")
    func stop() async {
        let alarm = alarm()
        alarm.set(to: .seconds(1))
        await alarm.stop()
        alarm.set(to: .zero)
        clock.advance(by: .seconds(1))
        #expect(rings.events.isEmpty)
        #expect(clock.sleeperCount == 0)
    }
}
