import Testing

@testable import ErrandSessionCore

@Suite("The suspension of an attempt")
struct SuspensionMachineTests {
    private let start = ContinuousClock.now

    /// An event of an attempt; the suspensions of its hops are numbered from one.
    enum Step: Sendable {
        case suspend, resume, begin, time(Int), next, waited

        func callAsFunction(_ machine: inout SuspensionMachine) -> SuspensionMachine.Action {
            switch self {
            case .suspend: return machine.suspend(at: .now)
            case .resume: return machine.resume(at: .now)
            case .begin: return machine.hopDidBegin()
            case .time(let number): return machine.timeIsOver(number: number)
            case .next:
                machine.willWait()
                return .none
            case .waited: return machine.waitIsOver()
            }
        }
    }

    private func perform(_ steps: [Step]) -> (machine: SuspensionMachine, last: SuspensionMachine.Action) {
        var machine = SuspensionMachine()
        var last = SuspensionMachine.Action.none
        for step in steps { last = step(&machine) }
        return (machine, last)
    }

    @Test(
        "acts on changes alone, and numbers the suspensions of hops",
        arguments: [
            ([], .none), ([.resume], .none), ([.suspend], .suspend(hop: nil)), ([.suspend, .suspend], .none),
            ([.suspend, .resume], .resume), ([.suspend, .resume, .resume], .none), ([.begin], .none),
            ([.begin, .suspend], .suspend(hop: 1)), ([.suspend, .begin], .suspend(hop: 1)),
            ([.begin, .suspend, .resume], .resume), ([.begin, .suspend, .resume, .suspend], .suspend(hop: 2)),
            ([.begin, .suspend, .begin], .suspend(hop: 2)), ([.begin, .suspend, .suspend], .none),
        ] as [([Step], SuspensionMachine.Action)])
    func actions(steps: [Step], action: SuspensionMachine.Action) {
        #expect(perform(steps).last == action)
    }

    @Test(
        "ends a hop by the time of its current suspension, and by no other",
        arguments: [
            ([.begin, .suspend, .time(1)], .closeHop, .expired), ([.begin, .suspend, .time(2)], .none, .survived),
            ([.begin, .suspend, .resume, .time(1)], .none, .survived),
            ([.begin, .suspend, .resume, .suspend, .time(1)], .none, .survived),
            ([.begin, .suspend, .resume, .suspend, .time(2)], .closeHop, .expired),
            ([.begin, .suspend, .time(1), .resume], .resume, .expired),
            ([.begin, .suspend, .time(1), .resume, .suspend], .suspend(hop: 2), .expired),
            ([.begin, .time(0)], .none, .unaffected), ([.suspend, .time(0)], .none, .unaffected),
            ([.begin, .suspend, .resume, .begin], .none, .unaffected),
        ] as [([Step], SuspensionMachine.Action, SuspensionMachine.Effect)])
    func effects(steps: [Step], action: SuspensionMachine.Action, effect: SuspensionMachine.Effect) {
        let (before, last) = perform(steps)
        #expect(last == action)
        var machine = before
        let first = machine.hopDidEnd()
        #expect(first == effect)
        let next = machine.hopDidEnd()
        #expect(next == .unaffected, "The effect is that on one hop")
    }

    @Test("does not end a hop that has ended")
    func endedHop() {
        var (machine, _) = perform([.begin, .suspend])
        #expect(machine.isHopSuspended(number: 1))
        _ = machine.hopDidEnd()
        #expect(!machine.isHopSuspended(number: 1))
        let action = machine.timeIsOver(number: 1)
        #expect(action == .none)
    }

    @Test(
        "lets the next hop wait while the attempt is suspended, up to the end of the wait",
        arguments: [
            ([.next], .none, false, false), ([.suspend, .next], .none, true, false),
            ([.suspend, .next, .resume], .resume, false, false), ([.next, .waited], .none, false, false),
            ([.suspend, .next, .waited], .endWait, false, true),
            ([.suspend, .next, .waited, .next], .none, true, false),
        ] as [([Step], SuspensionMachine.Action, Bool, Bool)])
    func waits(steps: [Step], action: SuspensionMachine.Action, mustWait: Bool, hasWaitedTooLong: Bool) {
        let (machine, last) = perform(steps)
        #expect(last == action)
        #expect(machine.mustWait == mustWait)
        #expect(machine.hasWaitedTooLong == hasWaitedTooLong)
    }

    @Test("adds up the durations of its suspensions, up to the current time")
    func durations() {
        func at(_ seconds: Int64) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }
        var machine = SuspensionMachine(since: start)
        #expect(machine.isSuspended)
        #expect(machine.duration(at: at(3)) == .seconds(3))
        _ = machine.resume(at: at(5))
        #expect(!machine.isSuspended)
        #expect(machine.duration(at: at(9)) == .seconds(5))
        _ = machine.suspend(at: at(10))
        _ = machine.suspend(at: at(11))
        #expect(machine.duration(at: at(12)) == .seconds(7))
    }
}
