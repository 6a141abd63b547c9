import ErrandSupport
import Testing

@testable import ErrandSessionCore

@Suite("The state machine of a session task")
struct SessionTaskMachineTests {
    enum Step: CaseIterable, Sendable {
        case resume, suspend, cancel, end, lose

        func callAsFunction(_ machine: inout SessionTaskMachine) -> SessionTaskMachine.Action {
            switch self {
            case .resume: machine.resume()
            case .suspend: machine.suspend()
            case .cancel: machine.cancel()
            case .end: machine.attemptEnded(mayRestart: false)
            case .lose: machine.attemptEnded(mayRestart: true)
            }
        }
    }

    @Test(
        "follows its transitions",
        arguments: [
            ([], .none, .suspended), ([.resume], .start, .running), ([.resume, .resume], .none, .running),
            ([.suspend], .none, .suspended), ([.resume, .suspend], .suspend, .suspended),
            ([.resume, .suspend, .suspend], .none, .suspended), ([.resume, .suspend, .resume], .resume, .running),
            ([.resume, .end], .complete, .completed), ([.resume, .suspend, .end], .complete, .completed),
            ([.cancel], .completeCanceled, .completed), ([.resume, .cancel], .close, .canceling),
            ([.resume, .cancel, .cancel], .none, .canceling), ([.resume, .cancel, .resume], .none, .canceling),
            ([.resume, .cancel, .suspend], .none, .canceling),
            ([.resume, .cancel, .end], .completeCanceled, .completed),
            ([.resume, .suspend, .cancel], .close, .canceling), ([.resume, .end, .resume], .none, .completed),
            ([.resume, .end, .cancel], .none, .completed), ([.resume, .suspend, .lose], .none, .suspended),
            ([.resume, .suspend, .lose, .resume], .start, .running),
            ([.resume, .suspend, .lose, .cancel], .completeCanceled, .completed),
            ([.resume, .lose], .start, .running), ([.resume, .cancel, .lose], .completeCanceled, .completed),
        ] as [([Step], SessionTaskMachine.Action, SessionTask.State)])
    func steps(steps: [Step], last: SessionTaskMachine.Action, state: SessionTask.State) {
        var machine = SessionTaskMachine()
        var action = SessionTaskMachine.Action.none
        for step in steps { action = step(&machine) }
        #expect(action == last)
        #expect(machine.state == state)
    }

    @Test("allows another attempt only in a task with one, unless it is canceled")
    func retries() {
        var machine = SessionTaskMachine()
        #expect(!machine.mayRetry)
        _ = machine.resume()
        #expect(machine.mayRetry)
        _ = machine.suspend()
        #expect(machine.mayRetry)
        _ = machine.cancel()
        #expect(!machine.mayRetry)
        _ = machine.attemptEnded(mayRestart: false)
        #expect(!machine.mayRetry)
    }

    @Test("never runs two attempts at once, and completes once, whatever the calls")
    func random() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<TestBuild.rounds(2000) {
            var machine = SessionTaskMachine()
            var attempts = 0
            var completions = 0
            for _ in 0..<30 {
                let step = Step.allCases.randomElement(using: &random) ?? .resume
                // An attempt can end only if one runs.
                if step == .end || step == .lose {
                    guard attempts == 1 else { continue }
                    attempts = 0
                }
                switch step(&machine) {
                case .start: attempts += 1
                case .complete, .completeCanceled: completions += 1
                case .suspend, .resume, .close: #expect(attempts == 1 || machine.state == .suspended)
                case .none: break
                }
                #expect(attempts <= 1)
                #expect(completions == (machine.state == .completed ? 1 : 0))
            }
        }
    }
}
