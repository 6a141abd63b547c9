import Testing

@testable import ErrandTaskAdmission

@Suite("RequestedPause")
struct RequestedPauseTests {
    private let now = ContinuousClock().now

    private func time(_ seconds: Int) -> ContinuousClock.Instant { now.advanced(by: .seconds(seconds)) }

    @Test("It lasts until the latest time that was requested, and has no end afterwards")
    func latest() {
        var pause = RequestedPause()
        #expect(pause.end(at: now) == nil)
        pause.extend(to: time(20))
        pause.extend(to: time(10))
        #expect(pause.end(at: now) == time(20))
        #expect(pause.end(at: time(19)) == time(20))
        #expect(pause.end(at: time(20)) == nil)
    }

    @Test("It is shortened, never made longer, and ends if pauses are no longer respected")
    func shortened() {
        var pause = RequestedPause()
        pause.extend(to: time(20))
        pause.shorten(to: .seconds(60), at: now)
        #expect(pause.end(at: now) == time(20))
        pause.shorten(to: .seconds(5), at: time(10))
        #expect(pause.end(at: time(10)) == time(15))
        pause.shorten(to: nil, at: time(10))
        #expect(pause.end(at: time(10)) == nil)
        pause.shorten(to: .seconds(5), at: time(10))
        #expect(pause.end(at: time(10)) == nil)
    }
}
