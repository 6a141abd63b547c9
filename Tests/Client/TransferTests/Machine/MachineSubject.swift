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
    func willSend(at now: Instant, wasRefused: Bool = false, objection: TransferError? = nil) -> Bool {
        machine.willSend(at: now, wasRefused: wasRefused, objection: objection)
    }
    func didNotSend() -> Bool { machine.didNotSend() }
    func failResend(wasRefused: Bool) { machine.failResend(wasRefused: wasRefused) }
    func cancel(_ error: TransferError = .canceled) -> Action { machine.cancel(error) }
    func finish(_ error: TransferError?) -> TransferError? { machine.finish(error) }
    func didReceiveHead(_ decision: HeadDecision, at now: Instant) -> Bool { machine.didReceiveHead(decision, at: now) }
    func didReceiveBytes(at now: Instant) { machine.didReceiveBytes(at: now) }
    func willDeliver() -> Bool { machine.willDeliver() }
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
