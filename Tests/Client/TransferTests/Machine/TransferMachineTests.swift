import ErrandTransfer
import Testing

@Suite("TransferMachine")
struct TransferMachineTests {
    private let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)
    private let failure = TransferError(.connectionLost, "lost")
    private let stop = TransferError(.bodyTooLarge, "too large")
    private let closed = TransferError(.sessionClosed, "closed")

    private func at(_ seconds: Int) -> MonotonicInstant {
        start.advanced(by: .seconds(seconds))
    }

    private func machine(idle: Int? = nil, total: Int? = nil, mayResend: Bool = false) -> MachineSubject {
        MachineSubject(
            timeouts: TransferTimeouts(idle: idle.map { .seconds($0) }, total: total.map { .seconds($0) }),
            mayResend: mayResend)
    }

    /// Returns a machine whose request has been sent at second 0.
    private func exchanging(idle: Int? = nil, total: Int? = nil, mayResend: Bool = false) -> MachineSubject {
        let machine = machine(idle: idle, total: total, mayResend: mayResend)
        #expect(machine.start(at: at(0)) == .attach)
        #expect(machine.willSend(at: at(0)))
        return machine
    }

    // MARK: Life cycle

    @Test("runs from start to end")
    func plain() {
        let machine = machine()
        #expect(machine.start(at: at(0)) == .attach)
        #expect(!machine.mayHaveArrived)
        #expect(machine.willSend(at: at(0)))
        #expect(machine.mayHaveArrived)
        #expect(machine.didReceiveHead(.proceed, at: at(1)))
        #expect(machine.willDeliver())
        #expect(machine.didReceive(.more, at: at(1)))
        #expect(machine.nextDeadline == nil)
        #expect(machine.finish(nil) == nil)
        #expect(machine.isOver)
    }

    @Test("an error of libcurl is the outcome, and states whether the request may have arrived")
    func libraryError() {
        let early = machine()
        _ = early.start(at: at(0))
        #expect(early.finish(failure)?.mayHaveArrived == false)
        let late = exchanging()
        #expect(late.finish(failure)?.mayHaveArrived == true)
        #expect(late.finish(nil) == nil)
    }

    @Test("a cancellation before the start is the outcome of the start")
    func canceledBeforeStart() {
        let machine = machine()
        #expect(machine.cancel() == .none)
        #expect(machine.start(at: at(0)) == .end)
        #expect(machine.finish(nil) == .canceled)
    }

    @Test("a cancellation ends a running transfer once, and later events do not change the outcome")
    func canceled() {
        let connecting = machine()
        _ = connecting.start(at: at(0))
        #expect(connecting.cancel() == .end)
        #expect(connecting.cancel() == .none)
        #expect(!connecting.willSend(at: at(1)))
        #expect(connecting.finish(failure) == .canceled)
        #expect(connecting.cancel() == .none)
        let running = exchanging()
        #expect(running.cancel() == .end)
        #expect(!running.didReceiveHead(.proceed, at: at(1)))
        #expect(!running.didReceive(.more, at: at(1)))
        #expect(running.finish(nil) == .canceled)
    }

    @Test("a cancellation does not change an outcome")
    func canceledTooLate() {
        let machine = exchanging()
        #expect(!machine.didReceiveHead(.stop(stop), at: at(1)))
        #expect(machine.cancel() == .none)
        #expect(machine.finish(failure) == stop)
    }

    @Test("an error that ends a transfer states whether its request may have arrived")
    func endedByError() {
        let early = machine()
        _ = early.start(at: at(0))
        #expect(early.cancel(closed) == .end)
        #expect(early.finish(nil) == closed)
        let late = exchanging()
        #expect(late.cancel(closed) == .end)
        let error = late.finish(nil)
        #expect(error?.code == .sessionClosed)
        #expect(error?.mayHaveArrived == true)
    }

    @Test("a receiver's decision to stop is the outcome, at the head and in the content")
    func stopped() {
        let machine = exchanging()
        #expect(machine.didReceiveHead(.proceed, at: at(1)))
        #expect(!machine.didReceive(.stop(stop), at: at(1)))
        #expect(!machine.didReceive(.stop(failure), at: at(1)))
        #expect(machine.finish(failure) == stop)
    }

    @Test("a failed source is the outcome")
    func sourceFailed() {
        let machine = exchanging()
        #expect(machine.didSend(.bytes, at: at(1)))
        #expect(!machine.didSend(.failed(stop), at: at(1)))
        #expect(machine.finish(failure) == stop)
    }

    // MARK: Resending

    @Test("an unanswered request is resent only if permitted")
    func resend() {
        let never = exchanging()
        #expect(!never.willSend(at: at(1)))
        let error = never.finish(failure)
        #expect(error?.code == .connectionLost)
        #expect(error?.mayHaveArrived == true)
        let allowed = exchanging(mayResend: true)
        #expect(allowed.willSend(at: at(1)))
        #expect(allowed.finish(nil) == nil)
    }

    @Test("an unanswered request whose content is gone is not resent, and has arrived unless the peer has refused it")
    func withoutContent() {
        for wasRefused in [false, true] {
            let machine = exchanging(mayResend: true)
            machine.failResend(wasRefused: wasRefused)
            #expect(!machine.willSend(at: at(1)))
            let error = machine.finish(failure)
            #expect(error?.code == .connectionLost)
            #expect(error?.mayHaveArrived == !wasRefused)
        }
        let answered = exchanging()
        #expect(answered.didReceiveHead(.proceed, at: at(1)))
        answered.failResend(wasRefused: false)
        #expect(answered.finish(nil) == nil)
    }

    @Test("an objection to a connection ends the transfer, and a sent request may have arrived over the one before")
    func objection() {
        let early = machine()
        _ = early.start(at: at(0))
        #expect(!early.willSend(at: at(0), objection: closed))
        #expect(early.finish(failure) == closed)
        // What must not be sent again is lost with its connection, whatever speaks against the next one.
        let never = exchanging()
        #expect(!never.willSend(at: at(1), objection: closed))
        let lost = never.finish(failure)
        #expect(lost?.code == .connectionLost)
        #expect(lost?.mayHaveArrived == true)
        for wasRefused in [false, true] {
            let allowed = exchanging(mayResend: true)
            #expect(!allowed.willSend(at: at(1), wasRefused: wasRefused, objection: closed))
            let error = allowed.finish(failure)
            #expect(error?.code == .sessionClosed)
            #expect(error?.mayHaveArrived == !wasRefused)
        }
    }

    @Test("a request that was never sent begins with another connection, one that was sent before does not")
    func notSent() {
        let machine = machine(idle: 10, total: 100)
        _ = machine.start(at: at(0))
        #expect(!machine.didNotSend())
        #expect(machine.willSend(at: at(1)))
        #expect(machine.didNotSend())
        #expect(!machine.mayHaveArrived)
        #expect(machine.nextDeadline == at(100))
        #expect(machine.suspend(at: at(2)) == .detach)
        #expect(machine.resume(at: at(2)) == .attach)
        #expect(machine.willSend(at: at(3)))
        #expect(machine.nextDeadline == at(13))
        #expect(machine.didReceiveHead(.proceed, at: at(4)))
        #expect(!machine.didNotSend())
        #expect(machine.finish(nil) == nil)
        let resent = exchanging(mayResend: true)
        #expect(resent.willSend(at: at(1)))
        #expect(!resent.didNotSend())
        #expect(resent.finish(failure)?.mayHaveArrived == true)
    }

    @Test("an answered request is not resent automatically")
    func answered() {
        let machine = exchanging()
        #expect(machine.didReceiveHead(.proceed, at: at(1)))
        #expect(machine.willSend(at: at(2)))
    }

    @Test("a request that is sent again asks its source again, and its idle timeout runs")
    func resentWhileSourceIsDry() {
        let machine = exchanging(idle: 10, mayResend: true)
        #expect(machine.didSend(.pause, at: at(1)))
        #expect(machine.nextDeadline == nil)
        #expect(machine.willSend(at: at(5)))
        #expect(machine.pausedDirections == [])
        #expect(machine.nextDeadline == at(15))
        #expect(machine.didSend(.bytes, at: at(6)))
        #expect(machine.nextDeadline == at(16))
        #expect(machine.resumeSending(at: at(7)) == .none)
        #expect(machine.didSend(.pause, at: at(8)))
        #expect(machine.nextDeadline == nil)
        #expect(machine.resumeSending(at: at(9)) == .pause([]))
    }

    @Test("a suspension outlasts the resending of a request, and ends with it what was paused before")
    func resentWhileSuspended() {
        let machine = exchanging(idle: 10, mayResend: true)
        #expect(machine.didSend(.pause, at: at(1)))
        #expect(machine.suspend(at: at(2)) == .pause(.both))
        #expect(machine.willSend(at: at(3)))
        #expect(machine.pausedDirections == .both)
        #expect(machine.nextDeadline == nil)
        #expect(machine.resumeSending(at: at(4)) == .none)
        #expect(machine.resume(at: at(5)) == .pause([]))
        #expect(machine.nextDeadline == at(15))
    }

    // MARK: Flow

    @Test("the source of a suspended transfer is not read")
    func readWhileSuspended() {
        let machine = exchanging()
        #expect(machine.mayRead)
        _ = machine.suspend(at: at(1))
        #expect(!machine.mayRead)
        _ = machine.resume(at: at(2))
        #expect(machine.mayRead)
    }

    @Test("a paused receiver is offered no content until it resumes")
    func receiverFull() {
        let machine = exchanging()
        #expect(machine.didReceive(.pause, at: at(1)))
        #expect(!machine.willDeliver())
        #expect(machine.resumeReceiving(at: at(2)) == .pause([]))
        #expect(machine.resumeReceiving(at: at(2)) == .none)
        #expect(machine.willDeliver())
    }

    @Test("a receiver that resumes before libcurl was paused needs no action")
    func receiverFullBriefly() {
        let machine = exchanging()
        #expect(machine.didReceive(.pause, at: at(1)))
        #expect(machine.resumeReceiving(at: at(2)) == .none)
        #expect(machine.willDeliver())
    }

    @Test("a source without bytes is asked again when it has some")
    func sourceDry() {
        let machine = exchanging()
        #expect(machine.resumeSending(at: at(0)) == .none)
        #expect(machine.didSend(.pause, at: at(1)))
        #expect(machine.resumeSending(at: at(2)) == .pause([]))
        #expect(machine.resumeSending(at: at(2)) == .none)
    }

    @Test("the directions pause independently")
    func bothDirections() {
        let machine = exchanging()
        _ = machine.didSend(.pause, at: at(1))
        _ = machine.didReceive(.pause, at: at(1))
        #expect(!machine.willDeliver())
        #expect(machine.resumeSending(at: at(2)) == .pause(.receive))
        #expect(machine.resumeReceiving(at: at(3)) == .pause([]))
    }

    @Test("a suspension pauses both directions, and resuming unpauses those that nothing else pauses")
    func suspended() {
        let machine = exchanging()
        _ = machine.didSend(.pause, at: at(1))
        #expect(machine.suspend(at: at(2)) == .pause(.both))
        #expect(machine.suspend(at: at(2)) == .none)
        #expect(!machine.willDeliver())
        #expect(machine.resume(at: at(3)) == .pause(.send))
        #expect(machine.resume(at: at(3)) == .none)
        #expect(machine.suspend(at: at(4)) == .pause(.both))
        #expect(machine.resumeSending(at: at(4)) == .none)
        #expect(machine.resume(at: at(5)) == .pause([]))
    }

    @Test("if suspended before anything was sent, the connection is given back")
    func suspendedWhileConnecting() {
        let machine = machine()
        _ = machine.start(at: at(0))
        #expect(machine.suspend(at: at(1)) == .detach)
        #expect(machine.suspend(at: at(1)) == .none)
        #expect(machine.resume(at: at(2)) == .attach)
        #expect(machine.willSend(at: at(3)))
    }

    @Test("if suspended before the start, it starts when resumed, and can be canceled")
    func suspendedBeforeStart() {
        let machine = machine(total: 5)
        #expect(machine.suspend(at: at(0)) == .none)
        #expect(machine.start(at: at(1)) == .none)
        #expect(machine.nextDeadline == nil)
        #expect(machine.resume(at: at(100)) == .attach)
        #expect(machine.nextDeadline == at(105))
        #expect(machine.suspend(at: at(101)) == .detach)
        #expect(machine.cancel() == .end)
        #expect(machine.finish(nil) == .canceled)
    }

    // MARK: Timeouts

    @Test("the idle timeout begins with the connection and restarts with every byte")
    func idle() {
        let machine = machine(idle: 10)
        _ = machine.start(at: at(0))
        #expect(machine.nextDeadline == nil)
        #expect(machine.checkTime(at: at(50)) == .none)
        _ = machine.willSend(at: at(50))
        #expect(machine.nextDeadline == at(60))
        _ = machine.didSend(.bytes, at: at(55))
        #expect(machine.nextDeadline == at(65))
        machine.didReceiveBytes(at: at(58))
        #expect(machine.nextDeadline == at(68))
        _ = machine.didReceiveHead(.proceed, at: at(60))
        _ = machine.didReceive(.more, at: at(62))
        #expect(machine.checkTime(at: at(71)) == .none)
        #expect(machine.checkTime(at: at(72), lastKnownActivity: at(70)) == .none)
        #expect(machine.nextDeadline == at(80))
        #expect(machine.checkTime(at: at(80)) == .end)
        let error = machine.finish(nil)
        #expect(error?.code == .timedOut)
        #expect(error?.message == "No byte was sent or received within timeouts.idle = 10s")
        #expect(error?.mayHaveArrived == true)
    }

    @Test("the idle timeout does not run while this side pauses, and restarts afterwards")
    func idleStandsStill() {
        let machine = exchanging(idle: 10)
        _ = machine.didReceive(.pause, at: at(1))
        #expect(machine.nextDeadline == nil)
        #expect(machine.checkTime(at: at(100)) == .none)
        _ = machine.resumeReceiving(at: at(100))
        #expect(machine.nextDeadline == at(110))
        _ = machine.didSend(.pause, at: at(101))
        #expect(machine.nextDeadline == nil)
        _ = machine.resumeSending(at: at(200))
        #expect(machine.nextDeadline == at(210))
        _ = machine.suspend(at: at(201))
        #expect(machine.nextDeadline == nil)
        _ = machine.resume(at: at(300))
        #expect(machine.nextDeadline == at(310))
    }

    @Test("the total timeout excludes only suspensions")
    func total() {
        let machine = machine(idle: 100, total: 10)
        _ = machine.start(at: at(0))
        #expect(machine.nextDeadline == at(10))
        #expect(machine.suspend(at: at(4)) == .detach)
        #expect(machine.nextDeadline == nil)
        #expect(machine.checkTime(at: at(50)) == .none)
        #expect(machine.resume(at: at(50)) == .attach)
        #expect(machine.nextDeadline == at(56))
        _ = machine.willSend(at: at(51))
        #expect(machine.suspend(at: at(53)) == .pause(.both))
        #expect(machine.resume(at: at(80)) == .pause([]))
        #expect(machine.nextDeadline == at(83))
        _ = machine.didReceive(.pause, at: at(81))
        #expect(machine.checkTime(at: at(82)) == .none)
        #expect(machine.checkTime(at: at(83)) == .end)
        #expect(machine.finish(nil)?.code == .timedOut)
    }

    @Test("the suspended time is the sum of all suspensions, including an unfinished one")
    func suspendedTime() {
        let machine = machine()
        #expect(machine.suspendedTime(at: at(0)) == .zero)
        _ = machine.suspend(at: at(0))
        _ = machine.start(at: at(1))
        #expect(machine.suspendedTime(at: at(3)) == .seconds(2))
        _ = machine.resume(at: at(4))
        #expect(machine.suspendedTime(at: at(10)) == .seconds(3))
        _ = machine.suspend(at: at(10))
        _ = machine.suspend(at: at(11))
        _ = machine.resume(at: at(12))
        _ = machine.resume(at: at(13))
        _ = machine.willSend(at: at(20))
        #expect(machine.suspendedTime(at: at(20)) == .seconds(5))
        _ = machine.suspend(at: at(30))
        _ = machine.suspend(at: at(31))
        _ = machine.cancel()
        _ = machine.resume(at: at(32))
        #expect(machine.suspendedTime(at: at(33)) == .seconds(8))
    }

    @Test("nothing happens after the end")
    func afterTheEnd() {
        let machine = exchanging(idle: 1, total: 1)
        #expect(machine.finish(nil) == nil)
        #expect(machine.nextDeadline == nil)
        #expect(machine.start(at: at(9)) == .none)
        #expect(machine.suspend(at: at(9)) == .none)
        #expect(machine.resume(at: at(9)) == .none)
        #expect(machine.resumeReceiving(at: at(9)) == .none)
        #expect(machine.resumeSending(at: at(9)) == .none)
        #expect(machine.checkTime(at: at(9)) == .none)
        #expect(machine.cancel() == .none)
        #expect(!machine.willSend(at: at(9)))
        #expect(machine.isOver)
    }
}
