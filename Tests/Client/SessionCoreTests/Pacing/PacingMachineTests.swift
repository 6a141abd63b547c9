import ErrandSupport
import Testing

@testable import ErrandSessionCore

@Suite("PacingMachine")
struct PacingMachineTests {
    private let start = ContinuousClock.now

    private func at(_ milliseconds: Int64) -> ContinuousClock.Instant {
        start.advanced(by: .milliseconds(milliseconds))
    }

    /// Returns a machine with 1,000 bytes a second and a capacity of a hundred.
    private func machine() -> PacingMachine {
        var machine = PacingMachine()
        _ = machine.setPace(1000, others: .zero, at: start)
        return machine
    }

    @Test("Without a rate nothing waits")
    func unlimited() {
        var machine = PacingMachine()
        machine.count(1 << 40, at: start)
        let action = machine.didMove(others: .zero, at: start)
        #expect(action == .none)
        #expect(!machine.isPaused)
        #expect(!machine.hasOwnPace)
    }

    @Test("An excess is waited for, then bytes are transferred again")
    func waits() {
        var machine = machine()
        machine.count(600, at: start)
        let wait = machine.didMove(others: .zero, at: start)
        #expect(wait == .wait(.milliseconds(500), number: 1))
        #expect(machine.isPaused)
        let wrong = machine.timeIsOver(number: 7, others: .zero, at: at(500))
        let right = machine.timeIsOver(number: 1, others: .zero, at: at(500))
        let again = machine.timeIsOver(number: 1, others: .zero, at: at(500))
        #expect([wrong, right, again] == [.none, .resumeTransfer, .none])
        #expect(!machine.isPaused)
    }

    @Test("A very short wait is deferred to the next bytes")
    func shortWaits() {
        var machine = machine()
        machine.count(104, at: start)
        let none = machine.didMove(others: .zero, at: start)
        machine.count(1, at: start)
        let wait = machine.didMove(others: .zero, at: start)
        #expect(none == .none)
        #expect(wait == .wait(.milliseconds(5), number: 1))
    }

    @Test("The longer of its own wait and its session's applies")
    func others() {
        var machine = machine()
        machine.count(200, at: start)
        let wait = machine.didMove(others: .milliseconds(900), at: start)
        #expect(wait == .wait(.milliseconds(900), number: 1))
    }

    @Test("A transfer that has waited moves bytes once, whatever the others have moved meanwhile")
    func granted() {
        var machine = PacingMachine()
        let first = machine.willMove(others: .seconds(1), at: start)
        _ = machine.timeIsOver(number: 1, others: .seconds(9), at: at(1000))
        let granted = machine.willMove(others: .seconds(9), at: at(1000))
        let next = machine.willMove(others: .seconds(9), at: at(1000))
        #expect([first, granted, next] == [.wait(.seconds(1), number: 1), .none, .wait(.seconds(1), number: 2)])
    }

    @Test("A long wait is worked out again each second, as the session's rate may have been raised; it never grows")
    func longWaits() {
        var machine = PacingMachine()
        let first = machine.didMove(others: .seconds(3), at: start)
        let second = machine.timeIsOver(number: 1, others: .seconds(30), at: at(1000))
        let third = machine.timeIsOver(number: 2, others: .milliseconds(600), at: at(2000))
        let last = machine.timeIsOver(number: 3, others: .milliseconds(600), at: at(2600))
        #expect(
            [first, second, third, last] == [
                .wait(.seconds(1), number: 1), .wait(.seconds(1), number: 2), .wait(.milliseconds(600), number: 3),
                .resumeTransfer,
            ])
        _ = machine.stop()
        _ = machine.didMove(others: .seconds(3), at: start)
        let unlimited = machine.timeIsOver(number: 4, others: .zero, at: at(1000))
        #expect(unlimited == .resumeTransfer)
    }

    @Test("While suspended no timer runs; afterwards the rest is waited for")
    func suspended() {
        var machine = machine()
        machine.count(600, at: start)
        _ = machine.didMove(others: .zero, at: start)
        let stop = machine.suspend()
        let late = machine.timeIsOver(number: 1, others: .zero, at: at(500))
        let resumed = machine.resume(others: .zero, at: at(200))
        #expect([stop, late, resumed] == [.stopTimer, .none, .wait(.milliseconds(300), number: 2)])
        _ = machine.suspend()
        let resumeTransfer = machine.resume(others: .zero, at: at(500))
        #expect(resumeTransfer == .resumeTransfer)
    }

    @Test("Bytes moved during a suspension are waited for afterwards")
    func movedWhileSuspended() {
        var machine = machine()
        let nothing = machine.suspend()
        machine.count(600, at: start)
        let none = machine.didMove(others: .zero, at: start)
        #expect([nothing, none] == [.none, .none])
        #expect(machine.isPaused)
        let resumed = machine.resume(others: .zero, at: start)
        #expect(resumed == .wait(.milliseconds(500), number: 1))
    }

    @Test("A new rate applies at once, with the previous excess")
    func otherPace() {
        var machine = machine()
        machine.count(600, at: start)
        _ = machine.didMove(others: .zero, at: start)
        let faster = machine.setPace(5000, others: .zero, at: start)
        #expect(faster == .wait(.milliseconds(100), number: 2))
        let none = machine.setPace(nil, others: .zero, at: start)
        #expect(none == .resumeTransfer)
        let later = machine.setPace(10, others: .zero, at: start)
        #expect(later == .none)
    }

    @Test("The end of a transfer leaves no timer, and the next begins without a wait")
    func stops() {
        var machine = machine()
        machine.count(600, at: start)
        _ = machine.didMove(others: .zero, at: start)
        let stop = machine.stop()
        let again = machine.stop()
        let late = machine.timeIsOver(number: 1, others: .zero, at: at(500))
        #expect([stop, again, late] == [.stopTimer, .none, .none])
        #expect(!machine.isPaused)
    }

    @Test("In any order of events, no more than the rate and one piece are transferred", arguments: TestBuild.seeds(10))
    func bound(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var machine = machine()
        var now = start
        var timer: (number: Int, due: ContinuousClock.Instant)?
        var isSuspended = false
        var moved = 0
        func perform(_ action: PacingMachine.Action) {
            switch action {
            case .none: break
            case .stopTimer, .resumeTransfer: timer = nil
            case .wait(let duration, let number): timer = (number, now.advanced(by: duration))
            }
        }
        for _ in 0..<3000 {
            now = now.advanced(by: .milliseconds(Int64.random(in: 0...30, using: &random)))
            if let due = timer, due.due <= now {
                perform(machine.timeIsOver(number: due.number, others: .zero, at: now))
            }
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                isSuspended.toggle()
                perform(isSuspended ? machine.suspend() : machine.resume(others: .zero, at: now))
            case 1:
                perform(machine.setPace(1000, others: .zero, at: now))
            default:
                guard !machine.isPaused, !isSuspended else { break }
                let piece = Int.random(in: 1...300, using: &random)
                machine.count(piece, at: now)
                moved += piece
                perform(machine.didMove(others: .zero, at: now))
            }
            #expect(!isSuspended || timer == nil, "a timer runs while suspended")
            #expect(!machine.isPaused || isSuspended || timer != nil, "no timer will resume it")
            #expect(Double(moved) <= 100 + start.duration(to: now) / .seconds(1) * 1000 + 305)
        }
        #expect(moved > 10_000)
    }
}
