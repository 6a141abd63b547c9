import ErrandTime
import Testing

@testable import ErrandTaskEngine

@Suite("ClockJumps")
struct ClockJumpsTests {
    private let origin = ContinuousClock.now

    private func moment(_ seconds: Int64) -> ContinuousClock.Instant {
        origin.advanced(by: .seconds(seconds))
    }

    private func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

    @Test("Time is measured without the jumps since its start")
    func elapsed() {
        var jumps = ClockJumps()
        #expect(jumps.elapsed(from: time(1000), to: time(1060)) == .seconds(60))
        // At 1100 the clock is set to 8300.
        jumps.note(.seconds(7200), to: time(8300), at: moment(0))
        #expect(jumps.elapsed(from: time(1000), to: time(8310)) == .seconds(110))
        #expect(jumps.elapsed(from: time(8305), to: time(8310)) == .seconds(5))
        // At 8400 it is set back to 1200.
        jumps.note(.seconds(-7200), to: time(1200), at: moment(0))
        #expect(jumps.elapsed(from: time(1000), to: time(1210)) == .seconds(210))
        #expect(jumps.elapsed(from: time(8350), to: time(1210)) == .seconds(60))
        #expect(jumps.elapsed(from: time(1205), to: time(1210)) == .seconds(5))
    }

    @Test("A moment that the clock has not reached again after it was set back is from before")
    func setback() {
        var jumps = ClockJumps()
        jumps.noteSetback(from: time(30_000), to: time(1200))
        #expect(jumps.elapsed(from: time(29_000), to: time(1300)) == .seconds(1100))
        #expect(jumps.lead(in: .seconds(86_400), before: moment(0)) == .zero)
    }

    @Test("The lead is that of the jumps in a period, less what the clock was set back by since")
    func lead() {
        var jumps = ClockJumps()
        jumps.note(.seconds(7200), to: time(8300), at: moment(1100))
        #expect(jumps.lead(in: .seconds(3600), before: moment(1100)) == .seconds(7200))
        #expect(jumps.lead(in: .seconds(3600), before: moment(4699)) == .seconds(7200))
        #expect(jumps.lead(in: .seconds(3600), before: moment(4700)) == .zero)
        jumps.note(.seconds(-1800), to: time(6510), at: moment(1110))
        #expect(jumps.lead(in: .seconds(3600), before: moment(1110)) == .seconds(5400))
        #expect(jumps.lead(in: .seconds(3600), before: moment(4705)) == .zero)
    }

    @Test("Time is never negative")
    func negative() {
        #expect(ClockJumps().elapsed(from: time(10), to: time(5)) == .zero)
    }

    @Test("The newest hundred jumps are kept")
    func limit() {
        var jumps = ClockJumps()
        for jump in 1...150 { jumps.note(.seconds(10), to: time(Int64(jump) * 20), at: moment(0)) }
        // Each jump is from 20 n - 10 to 20 n; 50 of them are forgotten.
        #expect(jumps.elapsed(from: time(5), to: time(3000)) == .seconds(2995 - 1000))
    }
}
