import Testing

@testable import MicroHTTPServer

@Suite("LoopClock")
struct LoopClockTests {
    @Test("time passes until a check of time limits is late by more than two intervals")
    func punctual() {
        var clock = LoopClock()
        #expect(clock.time(at: 500, check: .max, interval: 100) == 500)
        #expect(clock.time(at: 1000, check: 1100, interval: 100) == 1000)
        #expect(clock.time(at: 1300, check: 1100, interval: 100) == 1300)
    }

    @Test("a standstill takes no time, and later turns continue after it")
    func standstill() {
        var clock = LoopClock()
        #expect(clock.time(at: 121_000, check: 1100, interval: 100) == 1100)
        #expect(clock.time(at: 121_050, check: 1200, interval: 100) == 1150)
        #expect(clock.time(at: 121_401, check: 1200, interval: 100) == 1200)
        #expect(clock.time(at: 121_402, check: .max, interval: 100) == 1201)
    }

    @Test("without a check due, time passes however long the loop sleeps")
    func idle() {
        var clock = LoopClock()
        #expect(clock.time(at: 1, check: .max, interval: 5) == 1)
        #expect(clock.time(at: 1_000_000_000, check: .max, interval: 5) == 1_000_000_000)
    }
}
