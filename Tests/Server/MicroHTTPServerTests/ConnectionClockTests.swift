import ErrandHTTPServer
import Testing

@testable import MicroHTTPServer

@Suite("ConnectionClock")
struct ConnectionClockTests {
    private let limits = ConnectionClock.Limits(ServerTimeouts())

    private func verdicts(_ clock: ConnectionClock, at times: Milliseconds...) -> [ConnectionClock.Verdict] {
        times.map { clock.verdict(now: $0, limits: limits) }
    }

    @Test("a connection without a request closes after the header timeout, a kept one after the keep-alive timeout")
    func idle() {
        var clock = ConnectionClock(now: 1000)
        #expect(verdicts(clock, at: 1000, 11_000, 11_001) == [.fine, .fine, .close])
        clock.responseCompleted(now: 50_000)
        #expect(verdicts(clock, at: 50_000, 125_000, 125_001) == [.fine, .fine, .close])
    }

    @Test("a head is too slow after the header timeout, from the beginning of the connection or its own")
    func head() {
        var clock = ConnectionClock(now: 0)
        clock.headBegan(now: 5000)
        #expect(verdicts(clock, at: 10_000, 10_001) == [.fine, .tooSlow])
        clock.responseCompleted(now: 20_000)
        clock.headBegan(now: 25_000)
        #expect(verdicts(clock, at: 35_000, 35_001) == [.fine, .tooSlow])
    }

    @Test("a content must make progress, and end within its time limit")
    func content() {
        var clock = ConnectionClock(now: 0)
        clock.contentBegan(now: 0)
        #expect(verdicts(clock, at: 10_000, 10_001) == [.fine, .tooSlow])
        clock.received(bytes: 1 << 30, now: 9000)
        #expect(verdicts(clock, at: 39_000, 39_001) == [.fine, .tooSlow])
        clock.received(bytes: 1, now: 599_999)
        #expect(verdicts(clock, at: 600_000, 600_001) == [.fine, .tooSlow])
    }

    @Test("a content that is read as it arrives may last as long as it makes progress at its minimum rate")
    func streamedContent() {
        var clock = ConnectionClock(now: 0)
        clock.contentBegan(isStreamed: true, now: 0)
        clock.received(bytes: 1 << 30, now: 600_000)
        #expect(verdicts(clock, at: 600_001, 630_000, 630_001) == [.fine, .fine, .tooSlow])
        var slow = ConnectionClock(now: 0)
        slow.contentBegan(isStreamed: true, now: 0)
        slow.received(bytes: 600 * 1024, now: 600_000)
        #expect(verdicts(slow, at: 600_001, 601_000) == [.tooSlow, .tooSlow])
    }

    @Test("a content must keep its minimum rate after the grace period")
    func rate() {
        var clock = ConnectionClock(now: 0)
        clock.contentBegan(now: 0)
        clock.received(bytes: 20 * 1024, now: 5000)
        #expect(verdicts(clock, at: 10_001, 20_000, 20_010) == [.fine, .fine, .tooSlow])
    }

    @Test("while the handler does not read, only the absolute limit applies")
    func paused() {
        var clock = ConnectionClock(now: 0)
        clock.contentBegan(now: 0)
        clock.received(bytes: 1000, now: 10)
        clock.paused(now: 100)
        #expect(verdicts(clock, at: 599_000, 600_001) == [.fine, .tooSlow])
        clock.resumed(now: 500_000)
        #expect(verdicts(clock, at: 509_000, 530_001) == [.fine, .tooSlow])
    }

    @Test("a handler has no deadline")
    func answering() {
        var clock = ConnectionClock(now: 0)
        clock.requestCompleted(now: 0)
        #expect(verdicts(clock, at: 100_000_000) == [.fine])
        clock.received(bytes: 1, now: 5)
        clock.paused(now: 6)
        clock.resumed(now: 7)
        #expect(verdicts(clock, at: 100_000_000) == [.fine])
    }

    @Test("the clocks are checked often enough for the shortest timeout")
    func interval() {
        #expect(limits.interval == 1000)
        var timeouts = ServerTimeouts()
        timeouts.bodyIdle = .milliseconds(200)
        #expect(ConnectionClock.Limits(timeouts).interval == 50)
        timeouts.header = .zero
        #expect(ConnectionClock.Limits(timeouts).interval == 5)
    }

    @Test("a duration is at least a millisecond and at most a year")
    func milliseconds() {
        #expect(Duration.seconds(1.5).milliseconds == 1500)
        #expect(Duration.zero.milliseconds == 1)
        #expect(Duration.seconds(-5).milliseconds == 1)
        #expect(Duration.seconds(Int64.max).milliseconds == 366 * 86_400_000)
        #expect(Duration.seconds(Int64.min).milliseconds == 1)
    }
}
