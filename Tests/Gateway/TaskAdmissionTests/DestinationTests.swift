import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandTaskAdmission

@Suite("Destination")
struct DestinationTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Double) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    private func destination() -> Destination { Destination(RetryConfiguration.Budget(), at: start) }

    /// Returns a destination that has failed at times, in seconds.
    private func failing(at seconds: [Double]) -> Destination {
        var destination = destination()
        for second in seconds { destination.note(.failure, at: at(second)) }
        return destination
    }

    @Test("A failure has an age from the third in a row on, until the pause after it is over")
    func age() {
        #expect(failing(at: [0, 1]).failureAge(at: at(1)) == nil)
        let destination = failing(at: [0, 1, 2])
        #expect(destination.failureAge(at: at(2)) == .zero)
        #expect(destination.failureAge(at: at(2.75)) == .seconds(0.75))
        #expect(destination.failureAge(at: at(3)) == nil)
        #expect(destination.isFailing)
    }

    @Test("A failure has no age after an attempt that succeeded, or when failures are forgotten")
    func ageEnds() {
        var succeeding = failing(at: [0, 0, 0])
        succeeding.note(.success, at: at(0.5))
        #expect(succeeding.failureAge(at: at(0.5)) == nil)
        var forgotten = failing(at: [0, 0, 0])
        let woken = forgotten.forgetFailures()
        #expect(woken.isEmpty)
        #expect(forgotten.failureAge(at: at(0.5)) == nil)
    }

    @Test("A pause that the destination has asked for is no failure")
    func requested() {
        var destination = failing(at: [0, 0, 0])
        destination.stayQuiet(until: at(600))
        #expect(destination.failureAge(at: at(0.5)) == .seconds(0.5))
        #expect(destination.failureAge(at: at(10)) == nil)
        let pause = destination.pause(of: .sample(1), at: at(10))
        #expect(pause == .seconds(590))
    }

    @Test("After an hour without an attempt a failure is the first in a row")
    func silence() {
        let silence = Destination.longestSilence / .seconds(1)
        // The third failure is followed by a pause of a second.
        #expect(failing(at: [0, 0, 0, silence + 1]).isFailing)
        #expect(!failing(at: [0, 0, 0, silence + 2]).isFailing)
        #expect(failing(at: [0, 0, 0, silence + 2, silence + 2, silence + 2]).isFailing)
    }

    @Test("While a destination asks for a pause, no time passes that breaks a row of failures")
    func silenceAfterRequest() {
        let silence = Destination.longestSilence / .seconds(1)
        var destination = failing(at: [0, 0])
        destination.stayQuiet(until: at(86_400))
        destination.note(.failure, at: at(86_400 + silence))
        #expect(destination.isFailing)
        var idle = failing(at: [0, 0])
        idle.stayQuiet(until: at(86_400))
        idle.note(.failure, at: at(86_401 + silence))
        #expect(!idle.isFailing)
    }

    @Test("A retry that is put off for want of a token probes nothing, when it is due and when it begins")
    func probes() {
        for begins in [false, true] {
            var destination = failing(at: [0, 0, 0])
            while destination.takeRetry(at: at(1)) == nil {}
            let expected = destination.pause(of: .sample(1), at: at(1))
            let other = destination.pause(of: .sample(2), at: at(1))
            #expect(expected == nil && other != nil)
            let wait = begins ? destination.takeRetry(at: at(1)) : destination.retryPause(at: at(1))
            let next = destination.pause(of: .sample(2), at: at(1))
            #expect(wait != nil && next == nil)
        }
    }
}
