import Testing

@testable import ErrandSessionCore

@Suite("ProgressMeter")
struct ProgressMeterTests {
    private let start = ContinuousClock.now
    private var meter = ProgressMeter()

    /// Counts bytes, and returns the progress afterwards.
    @discardableResult
    private mutating func count(_ bytes: Int64, of total: Int64? = nil, at milliseconds: Int64) -> DirectionProgress {
        meter.count(bytes, decoded: bytes, total: total, at: start.advanced(by: .milliseconds(milliseconds)))
        return meter.progress
    }

    @Test("The rate is unknown until it was measured for a tenth of a second, and the time left with it")
    mutating func unmeasured() {
        let first = count(1000, of: 12_000, at: 0)
        let early = count(1500, of: 12_000, at: 99)
        let measured = count(2000, of: 12_000, at: 100)
        #expect(first.bytesPerSecond == nil && first.timeLeft == nil)
        #expect(early.bytesPerSecond == nil && early.timeLeft == nil)
        #expect(measured.bytesPerSecond == 10_000)
        #expect(measured.timeLeft == .seconds(1))
    }

    @Test("The rate approaches a new one, so that a short burst changes it little")
    mutating func smoothed() {
        count(0, at: 0)
        count(1000, at: 100)
        let burst = count(4000, at: 200)
        #expect(burst.bytesPerSecond == 10_952)
        var bytes: Int64 = 4000
        for time in stride(from: Int64(300), through: 20_000, by: 100) {
            bytes += 3000
            count(bytes, at: time)
        }
        let later = meter.progress.bytesPerSecond
        #expect(later.map { (29_900...30_000).contains($0) } == true)
    }

    @Test("The time before the first bytes is not part of the rate")
    mutating func waiting() {
        count(0, at: 0)
        count(0, at: 5000)
        let begun = count(1000, at: 5100)
        #expect(begun.bytesPerSecond == 10_000)
    }

    @Test("The pause between two transfers is not part of the rate")
    mutating func interrupted() {
        count(0, at: 0)
        count(1000, at: 100)
        meter.interrupt()
        count(0, at: 60_000)
        let resumed = count(1000, at: 60_100)
        #expect(resumed.bytesPerSecond == 10_000)
    }

    @Test("The time left is unknown without a total, and zero at the end")
    mutating func timeLeft() {
        count(0, at: 0)
        let unknown = count(1000, at: 100)
        let ended = count(2000, of: 2000, at: 200)
        #expect(unknown.bytesPerSecond == 10_000 && unknown.timeLeft == nil)
        #expect(ended.timeLeft == .zero)
    }

    @Test("An attempt that begins again counts once it has more than those before, and its time left is its own")
    mutating func again() {
        count(0, of: 6100, at: 0)
        count(600, of: 6100, at: 100)
        meter.interrupt()
        let again = count(100, of: 6100, at: 200)
        let more = count(700, of: 6100, at: 300)
        #expect(again.completed == 600)
        #expect(again.bytesPerSecond == 6000)
        #expect(again.timeLeft == .seconds(1))
        #expect(more.completed == 700)
    }

    @Test("Content of another total is counted from its first byte", arguments: [500, 2000] as [Int64])
    mutating func changed(total: Int64) {
        count(600, of: 1000, at: 0)
        let changed = count(5, of: total, at: 100)
        #expect(changed.completed == 5)
        #expect(changed.decoded == 5)
        #expect(changed.total == total)
    }

    @Test("A total that becomes known later is that of the same content, unless more was received")
    mutating func knownLater() {
        count(600, at: 0)
        let same = count(5, of: 1000, at: 100)
        #expect(same.completed == 600)
        var other = ProgressMeter()
        other.count(600, decoded: 600, total: nil, at: start)
        other.count(5, decoded: 5, total: 100, at: start)
        #expect(other.progress.completed == 5)
    }

    @Test("The total stays known while the next transfer has not begun, and is unknown if that does not state one")
    mutating func unknownLater() {
        count(600, of: 1000, at: 0)
        let before = count(0, at: 100)
        let begun = count(5, at: 200)
        #expect(before.total == 1000)
        #expect(begun.total == nil)
        #expect(begun.completed == 600)
    }

    @Test("Extreme numbers are no failure")
    mutating func extreme() {
        count(0, of: .max, at: 0)
        let huge = count(Int64.max - 1, of: .max, at: 100)
        #expect(huge.bytesPerSecond == .max)
        var slow = ProgressMeter()
        slow.count(0, decoded: 0, total: .max, at: start)
        slow.count(1, decoded: 1, total: .max, at: start.advanced(by: .seconds(1_000_000)))
        #expect(slow.progress.bytesPerSecond == 0)
        #expect(slow.progress.timeLeft == nil)
    }
}
