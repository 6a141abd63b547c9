import ErrandSupport
import Testing

@testable import ErrandTaskEvents

@Suite("TimerWheel")
struct TimerWheelTests {
    @Test("returns actions at their time, not before, and at most a grain later")
    func times() {
        var wheel = TimerWheel<Int>()
        _ = wheel.add(1, at: .milliseconds(1001), grain: .seconds(1))
        _ = wheel.add(2, at: .milliseconds(2000), grain: .seconds(1))
        _ = wheel.add(3, at: .milliseconds(1003), grain: .milliseconds(10))
        #expect(wheel.nextTime() == .milliseconds(1010))
        #expect(wheel.takeDue(at: .milliseconds(1009)).isEmpty)
        #expect(wheel.takeDue(at: .milliseconds(1010)) == [3])
        #expect(wheel.nextTime() == .seconds(2))
        #expect(Set(wheel.takeDue(at: .seconds(60))) == [1, 2])
        #expect(wheel.nextTime() == nil)
    }

    @Test("discards removed actions, and ticks without actions")
    func removal() {
        var wheel = TimerWheel<Int>()
        let first = wheel.add(1, at: .milliseconds(5), grain: .milliseconds(1))
        let second = wheel.add(2, at: .milliseconds(9), grain: .milliseconds(1))
        wheel.remove(first)
        #expect(wheel.nextTime() == .milliseconds(9))
        wheel.remove(second)
        wheel.remove(second)
        #expect(wheel.nextTime() == nil)
        #expect(wheel.takeDue(at: .seconds(1)).isEmpty)
    }

    @Test("clamps impossible times")
    func odd() {
        var wheel = TimerWheel<Int>()
        _ = wheel.add(1, at: .seconds(-5), grain: .zero)
        _ = wheel.add(2, at: .seconds(Int64.max), grain: .zero)
        #expect(wheel.takeDue(at: .zero) == [1])
        #expect(wheel.nextTime() == .seconds(3_200_000_000))
    }

    @Test("neither loses nor repeats actions during random changes", arguments: TestBuild.seeds(20))
    func anyOrder(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var wheel = TimerWheel<Int>()
        var pending: [Int: (due: Int64, entry: TimerWheel<Int>.Entry)] = [:]
        var now: Int64 = 0
        for number in 0..<500 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let due = now + Int64.random(in: 0..<200, using: &random)
                pending[number] = (due, wheel.add(number, at: .milliseconds(due), grain: .milliseconds(10)))
            case 2:
                if let removed = pending.randomElement(using: &random) {
                    wheel.remove(removed.value.entry)
                    pending[removed.key] = nil
                }
            default:
                now += Int64.random(in: 0..<40, using: &random)
                let taken = wheel.takeDue(at: .milliseconds(now))
                for number in taken { #expect(pending.removeValue(forKey: number).map { $0.due <= now } == true) }
                for left in pending.values { #expect(left.due > now - 10) }
            }
        }
        #expect(Set(wheel.takeDue(at: .seconds(100))) == Set(pending.keys))
    }
}
