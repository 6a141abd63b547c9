import ErrandTransfer

/// A ``TransferMachine`` in a class, because expectations cannot capture a noncopyable value.
final class MachineSubject {
    typealias Instant = TransferMachine.Instant
    typealias Action = TransferMachine.Action

    private var machine: TransferMachine

    init(timeouts: TransferTimeouts, mayResend: Bool) {
        machine = TransferMachine(timeouts: timeouts, mayResend: mayResend)
    }

    var mayHaveArrived: Bool { machine.mayHaveArrived }
    var isOver: Bool { machine.isOver }
    var nextDeadline: Instant? { machine.nextDeadline }
    var pausedDirections: TransferDirections { machine.pausedDirections }
    var mayRead: Bool { machine.mayRead }
    func suspendedTime(at now: Instant) -> Duration { machine.suspendedTime(at: now) }

    func start(at now: Instant) -> Action { machine.start(at: now) }
    func willSend(at now: Instant) -> Bool { machine.willSend(at: now) }
    func cannotResend(wasRefused: Bool) { machine.cannotResend(wasRefused: wasRefused) }
    func cancel() -> Action { machine.cancel() }
    func finish(_ error: TransferError?) -> TransferError? { machine.finish(error) }
    func didReceiveHead(_ decision: HeadDecision, at now: Instant) -> Bool { machine.didReceiveHead(decision, at: now) }
    func mayDeliver() -> Bool { machine.mayDeliver() }
    func didReceive(_ decision: ReceiveDecision, at now: Instant) -> Bool { machine.didReceive(decision, at: now) }
    func didSend(_ answer: SourceAnswer, at now: Instant) -> Bool { machine.didSend(answer, at: now) }
    func resumeReceiving(at now: Instant) -> Action { machine.resumeReceiving(at: now) }
    func resumeSending(at now: Instant) -> Action { machine.resumeSending(at: now) }
    func suspend(at now: Instant) -> Action { machine.suspend(at: now) }
    func resume(at now: Instant) -> Action { machine.resume(at: now) }
    func checkTime(at now: Instant, lastKnownActivity: Instant? = nil) -> Action {
        machine.checkTime(at: now, lastKnownActivity: lastKnownActivity)
    }
}
