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

    private let monotonic = ManualClock()
    private let setting = DispatcherFixture.Setting()

    private func clock(_ observer: Observer) -> WallClock {
        let clock = WallClock(
            { [monotonic, setting] in
                DispatcherFixture.start.adding(monotonic.now.offset).adding(setting.value)
            }, jumpDetection: monotonic)
        clock.add(observer)
        return clock
    }

    @Test("reports each jump once, in both directions, with its size", arguments: [-28_800, -3, 3, 28_800])
    func step(seconds: Int) async {
        let observer = Observer()
        let clock = clock(observer)
        _ = clock.now
        monotonic.advance(by: .seconds(100))
        setting.set(to: .seconds(seconds))
        #expect(clock.now == DispatcherFixture.start.adding(.seconds(100 + seconds)))
        #expect(await observer.jumps.first(1) == [.seconds(seconds)])
        monotonic.advance(by: .seconds(100))
        _ = clock.now
        setting.set(to: .zero)
        _ = clock.now
        #expect(await observer.jumps.first(2) == [.seconds(seconds), .seconds(-seconds)])
    }

    /// A time of day that another thread reads, and that is set, while it is being read.
    private final class OverlappedReading: Sendable {
        private let state = Mutex<(clock: WallClock?, setTo: Duration?)>((nil, nil))
        let setting = DispatcherFixture.Setting()

        /// Lets the next reading overlap with another one, after which the time is set.
        func overlap(with clock: WallClock, thenSetTo offset: Duration) {
            state.withLock { $0 = (clock, offset) }
        }

        func callAsFunction() -> Timestamp {
            let (clock, offset) = state.withLock { state in
                defer { state = (nil, nil) }
                return state
            }
            if let clock, let offset {
                _ = clock.now
                setting.set(to: offset)
            }
            return DispatcherFixture.start.adding(setting.value)
        }
    }

    @Test("A reading that overlaps with another one, between which the clock was set, is repeated")
    func overlap() {
        let read = OverlappedReading()
        let clock = WallClock({ read() }, jumpDetection: OrderedClock(monotonic))
        _ = clock.now
        read.setting.set(to: .seconds(60))
        #expect(clock.reading.changes == 1)
        read.overlap(with: clock, thenSetTo: .seconds(-60))
        let reading = clock.reading
        #expect(reading.changes == 2)
        #expect(reading.offset == .seconds(-60))
        #expect(reading.time == DispatcherFixture.start.adding(.seconds(-60)))
    }

    @Test("goes on with the sum of the jumps of earlier processes, which are no changes, and counts its own once")
    func resumed() {
        let clock = clock(Observer())
        _ = clock.now
        setting.set(to: .seconds(60))
        _ = clock.now
        clock.resume(from: .seconds(-100), setBackBy: .seconds(20))
        #expect(clock.reading.offset == .seconds(60 - 100 - 20))
        #expect(clock.reading.changes == 1)
    }

    @Test("does not report slow corrections")
    func slew() async {
        let observer = Observer()
        let clock = clock(observer)
        for step in 0..<1000 {
            monotonic.advance(by: .seconds(10))
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
        monotonic.advance(by: .seconds(10))
        setting.set(to: .seconds(7200))
        #expect(clock.retentionMoment(longest: .seconds(86_400)) == start.adding(.seconds(10)))
        setting.set(to: .seconds(-7200))
        #expect(clock.elapsed(since: start) == .seconds(10))
        #expect(clock.retentionMoment(longest: .seconds(86_400)) == start.adding(.seconds(10 - 7200)))
    }
}
