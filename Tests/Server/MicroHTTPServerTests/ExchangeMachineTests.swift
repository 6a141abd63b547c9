import ErrandHTTPServer
import Testing

@testable import MicroHTTPServer

@Suite("ExchangeMachine")
struct ExchangeMachineTests {
    /// Returns a machine after the head.
    private func machine(
        _ plan: ExchangeMachine.Plan, _ framing: RequestFraming = .none, expectsContinue: Bool = false
    ) -> (Subject, ExchangeMachine.HeadAction) {
        let subject = Subject(ExchangeMachine(maxDroppedBytes: 100))
        let action = subject.headArrived(plan, framing: framing, expectsContinue: expectsContinue)
        return (subject, action)
    }

    @Test(
        "the head determines the next action",
        arguments: [
            (ExchangeMachine.Plan.refuse, RequestFraming.none, false, ExchangeMachine.HeadAction.queue(.own)),
            (.immediate, .none, false, .proceed),
            (.immediate, .length(100), false, .proceed),
            (.immediate, .length(101), false, .queue(.own)),
            (.immediate, .length(1), true, .queue(.own)),
            (.immediate, .chunked, false, .proceed),
            (.deferred, .length(100), false, .proceed),
            (.deferred, .length(101), false, .queue(.tooLarge)),
            (.buffered(limitBytes: 10), .length(10), true, .proceed),
            (.buffered(limitBytes: 10), .length(11), false, .queue(.tooLarge)),
            (.buffered(limitBytes: 10), .chunked, false, .proceed),
            (.streamed, .length(.max), false, .startHandler),
            (.streamed, .none, false, .startHandler),
        ])
    func head(
        plan: ExchangeMachine.Plan, framing: RequestFraming, expectsContinue: Bool, expected: ExchangeMachine.HeadAction
    ) {
        let (machine, action) = machine(plan, framing, expectsContinue: expectsContinue)
        #expect(action == expected)
        let isAnswered = if case .queue = expected { true } else { false }
        #expect(machine.isResponding == isAnswered)
        #expect(machine.leavesContent == (isAnswered && framing != .none))
    }

    @Test("an available response waits for the end of the content, which is dropped")
    func answered() {
        let (machine, _) = machine(.immediate, .chunked)
        #expect(machine.contentArrived(bytes: 60) == .drop)
        #expect(machine.contentArrived(bytes: 40) == .drop)
        #expect(machine.requestCompleted() == .queue)
        #expect(machine.isResponding)
    }

    @Test("unwanted content is rejected beyond the limit")
    func tooMuchToDrop() {
        let (machine, _) = machine(.deferred, .chunked)
        #expect(machine.contentArrived(bytes: 101) == .refuse(.tooLarge))
        #expect(machine.leavesContent)
        #expect(machine.contentArrived(bytes: 1) == .close)
        #expect(machine.requestCompleted() == .close)
    }

    @Test("a handler without content starts once the request is complete, and is resumed once")
    func deferred() {
        let (machine, _) = machine(.deferred)
        #expect(machine.requestCompleted() == .startHandler)
        #expect(machine.isSuspended)
        #expect(machine.responseArrived(mayInterrupt: true))
        #expect(!machine.isSuspended)
        #expect(!machine.responseArrived(mayInterrupt: true))
        #expect(machine.requestCompleted() == .queue)
        machine.end()
        #expect(machine.isOver)
    }

    @Test("a content is collected up to its limit")
    func buffered() {
        let (machine, _) = machine(.buffered(limitBytes: 10), .chunked)
        #expect(machine.contentArrived(bytes: 4) == .keep)
        #expect(machine.contentArrived(bytes: 6) == .keep)
        let tooLong = Subject(machine.value)
        #expect(tooLong.contentArrived(bytes: 1) == .refuse(.tooLarge))
        #expect(machine.requestCompleted() == .handOver)
        let later = Subject(machine.value)
        machine.replied(now: true)
        #expect(machine.isResponding && !machine.isSuspended)
        later.replied(now: false)
        #expect(!later.isResponding && later.isSuspended)
        #expect(later.responseArrived(mayInterrupt: true))
    }

    @Test("a full stream suspends, and its demand resumes once")
    func backPressure() {
        let (machine, _) = machine(.streamed, .length(1000))
        #expect(machine.contentArrived(bytes: 10) == .stream)
        #expect(machine.streamFilled())
        #expect(!machine.streamFilled())
        #expect(machine.contentArrived(bytes: 10) == .leave)
        #expect(machine.streamDrained())
        #expect(!machine.streamDrained())
        #expect(machine.contentArrived(bytes: 10) == .stream)
        #expect(machine.requestCompleted() == .finishStream(thenQueue: false))
        #expect(machine.isSuspended)
        #expect(!machine.streamDrained())
        #expect(machine.responseArrived(mayInterrupt: true))
        #expect(machine.requestCompleted() == .queue)
    }

    @Test("after an early response a short rest of the content is dropped, and a long one is rejected")
    func earlyResponse() {
        let (machine, _) = machine(.streamed, .length(1000))
        #expect(machine.contentArrived(bytes: 500) == .stream)
        #expect(machine.streamFilled())
        #expect(machine.responseArrived(mayInterrupt: true))
        #expect(machine.contentArrived(bytes: 100) == .drop)
        let complete = Subject(machine.value)
        #expect(complete.requestCompleted() == .finishStream(thenQueue: true))
        #expect(machine.contentArrived(bytes: 1) == .refuse(.own))
    }

    @Test("an early response that is not in memory waits for the whole content")
    func earlyStream() {
        let (machine, _) = machine(.streamed, .length(1_000_000))
        #expect(!machine.responseArrived(mayInterrupt: false))
        #expect(machine.contentArrived(bytes: 999_999) == .drop)
        #expect(machine.requestCompleted() == .finishStream(thenQueue: true))
    }

    @Test("a response without bytes suspends, and its next bytes resume once")
    func streamedResponse() {
        let (machine, _) = machine(.immediate)
        #expect(!machine.responseRanDry())
        #expect(machine.requestCompleted() == .queue)
        #expect(machine.responseRanDry())
        #expect(!machine.responseRanDry())
        #expect(machine.responseFlows())
        #expect(!machine.responseFlows())
    }

    @Test("aborting resumes a suspended connection, and each later call closes it")
    func abort() {
        for plan in [ExchangeMachine.Plan.deferred, .streamed] {
            let (machine, _) = machine(plan)
            _ = machine.requestCompleted()
            #expect(machine.isSuspended)
            #expect(machine.abort())
            #expect(!machine.abort())
            #expect(!machine.responseArrived(mayInterrupt: true))
            #expect(machine.requestCompleted() == .close)
        }
        let (machine, _) = machine(.buffered(limitBytes: 10), .length(5))
        #expect(!machine.abort())
        #expect(machine.contentArrived(bytes: 1) == .close)
    }

    @Test("limits may have any value")
    func extremes() {
        var machine = ExchangeMachine(maxDroppedBytes: .max)
        let proceeds = machine.headArrived(.immediate, framing: .length(.max), expectsContinue: false)
        #expect(proceeds == .queue(.own))
        machine = ExchangeMachine(maxDroppedBytes: .max)
        _ = machine.headArrived(.streamed, framing: .chunked, expectsContinue: false)
        _ = machine.contentArrived(bytes: 10)
        _ = machine.responseArrived(mayInterrupt: true)
        let drops = machine.contentArrived(bytes: 1 << 40)
        #expect(drops == .drop)
        machine = ExchangeMachine(maxDroppedBytes: 0)
        let refuses = machine.headArrived(.buffered(limitBytes: -1), framing: .length(1), expectsContinue: false)
        #expect(refuses == .queue(.tooLarge))
    }

    @Test("nothing happens after the end")
    func end() {
        let (machine, _) = machine(.deferred)
        _ = machine.requestCompleted()
        machine.end()
        #expect(!machine.isSuspended)
        #expect(!machine.responseArrived(mayInterrupt: true))
        #expect(!machine.abort())
        #expect(!machine.responseFlows())
        #expect(!machine.streamDrained())
        #expect(machine.requestCompleted() == .close)
        #expect(machine.contentArrived(bytes: 1) == .close)
        #expect(machine.headArrived(.immediate, framing: .none, expectsContinue: false) == .proceed)
        #expect(machine.isOver)
    }
}

/// A reference to a machine, for mutating calls within an expectation.
@dynamicMemberLookup
private final class Subject {
    private(set) var value: ExchangeMachine

    init(_ value: ExchangeMachine) {
        self.value = value
    }

    subscript<T>(dynamicMember path: KeyPath<ExchangeMachine, T>) -> T { value[keyPath: path] }

    func headArrived(
        _ plan: ExchangeMachine.Plan, framing: RequestFraming, expectsContinue: Bool
    ) -> ExchangeMachine.HeadAction {
        value.headArrived(plan, framing: framing, expectsContinue: expectsContinue)
    }

    func contentArrived(bytes: Int) -> ExchangeMachine.ContentAction { value.contentArrived(bytes: bytes) }
    func requestCompleted() -> ExchangeMachine.CompletionAction { value.requestCompleted() }
    func replied(now: Bool) { value.replied(now: now) }
    func responseArrived(mayInterrupt: Bool) -> Bool { value.responseArrived(mayInterrupt: mayInterrupt) }
    func streamFilled() -> Bool { value.streamFilled() }
    func streamDrained() -> Bool { value.streamDrained() }
    func responseRanDry() -> Bool { value.responseRanDry() }
    func responseFlows() -> Bool { value.responseFlows() }
    func abort() -> Bool { value.abort() }
    func end() { value.end() }
}
