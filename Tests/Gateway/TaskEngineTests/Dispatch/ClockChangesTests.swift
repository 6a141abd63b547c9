import ErrandTime
import Testing

@testable import ErrandTaskEngine

@Suite("The changes of a clock")
struct ClockChangesTests {
    private func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

    @Test("Time is measured without the jumps since its start")
    func elapsed() {
        var changes = ClockChanges()
        #expect(changes.elapsed(from: time(1000), to: time(1060)) == .seconds(60))
        // At 1100 the clock is set to 8300.
        changes.note(.seconds(7200), to: time(8300))
        #expect(changes.elapsed(from: time(1000), to: time(8310)) == .seconds(110))
        #expect(changes.elapsed(from: time(8305), to: time(8310)) == .seconds(5))
        // At 8400 it is set back to 1200.
        changes.note(.seconds(-7200), to: time(1200))
        #expect(changes.elapsed(from: time(1000), to: time(1210)) == .seconds(210))
        #expect(changes.elapsed(from: time(8350), to: time(1210)) == .seconds(60))
        #expect(changes.elapsed(from: time(1205), to: time(1210)) == .seconds(5))
    }

    @Test("A moment that the clock has not reached again after it was set back is from before")
    func setback() {
        var changes = ClockChanges()
        changes.noteSetback(from: time(30_000), to: time(1200))
        #expect(changes.elapsed(from: time(29_000), to: time(1300)) == .seconds(1100))
        #expect(changes.lead == .zero)
    }

    @Test("Time is never negative")
    func negative() {
        #expect(ClockChanges().elapsed(from: time(10), to: time(5)) == .zero)
    }

    @Test("The newest hundred jumps are kept")
    func limit() {
        var changes = ClockChanges()
        for jump in 1...150 { changes.note(.seconds(10), to: time(Int64(jump) * 20)) }
        // Each jump is from 20 n - 10 to 20 n; 50 of them are forgotten.
        #expect(changes.elapsed(from: time(5), to: time(3000)) == .seconds(2995 - 1000))
    }
}
