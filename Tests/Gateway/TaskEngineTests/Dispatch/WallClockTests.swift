import ErrandLocking
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("WallClock", .timeLimit(.hang))
struct WallClockTests {
    private final class Observer: WallClockObserver {
        let jumps = EventLog<Duration>()

        func clockWasSet(_ change: WallClock.Change) async { jumps.append(change.jump) }
    }

    private let steady = ManualClock()
    private let setting = DispatcherFixture.Setting()

    private func clock(_ observer: Observer) -> WallClock {
        let clock = WallClock(
            { [steady, setting] in
                DispatcherFixture.start.adding(steady.now.offset).adding(setting.value)
            }, steady: steady)
        clock.add(observer)
        return clock
    }

    @Test("reports each jump once, in both directions, with its size", arguments: [-28_800, -3, 3, 28_800])
    func step(seconds: Int) async {
        let observer = Observer()
        let clock = clock(observer)
        _ = clock.now
        steady.advance(by: .seconds(100))
        setting.set(to: .seconds(seconds))
        #expect(clock.now == DispatcherFixture.start.adding(.seconds(100 + seconds)))
        #expect(await observer.jumps.first(1) == [.seconds(seconds)])
        steady.advance(by: .seconds(100))
        _ = clock.now
        setting.set(to: .zero)
        _ = clock.now
        #expect(await observer.jumps.first(2) == [.seconds(seconds), .seconds(-seconds)])
    }

    @Test("does not report slow corrections")
    func slew() async {
        let observer = Observer()
        let clock = clock(observer)
        for step in 0..<1000 {
            steady.advance(by: .seconds(10))
            setting.set(to: .milliseconds(5 * step))
            _ = clock.now
        }
        setting.set(to: .seconds(60))
        _ = clock.now
        #expect(await observer.jumps.first(1).count == 1)
    }

    @Test("A jump counts as no time from the first reading after it, before an observer has handled it")
    func firstReading() {
        let clock = clock(Observer())
        let start = clock.now
        steady.advance(by: .seconds(10))
        setting.set(to: .seconds(7200))
        #expect(clock.retentionMoment(longest: .seconds(86_400)) == start.adding(.seconds(10)))
        setting.set(to: .seconds(-7200))
        #expect(clock.elapsed(since: start) == .seconds(10))
        #expect(clock.retentionMoment(longest: .seconds(86_400)) == start.adding(.seconds(10 - 7200)))
    }
}
