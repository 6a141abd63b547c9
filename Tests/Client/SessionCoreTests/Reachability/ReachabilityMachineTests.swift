import ErrandTransfer
import Testing

@testable import ErrandSessionCore

@Suite("The known reachability of an upstream")
struct ReachabilityMachineTests {
    @Test("is unknown at first, and changes with the first evidence, then only with different evidence")
    func changes() {
        var machine = ReachabilityMachine()
        #expect(machine.state == .unknown)
        #expect(machine.observe(.unknown) == nil)
        #expect(machine.observe(.reachable) == .reachable)
        #expect(machine.observe(.reachable) == nil)
        #expect(machine.observe(.unknown) == nil)
        #expect(machine.observe(.notReachable) == .notReachable)
        #expect(machine.observe(.notReachable) == nil)
        #expect(machine.observe(.reachable) == .reachable)
    }

    @Test("is unknown again after a refusal by the session itself, but only if the upstream was not reachable")
    func refusal() {
        var machine = ReachabilityMachine()
        #expect(machine.observeRefusal() == nil)
        #expect(machine.observe(.reachable) == .reachable)
        #expect(machine.observeRefusal() == nil)
        #expect(machine.state == .reachable)
        #expect(machine.observe(.notReachable) == .notReachable)
        #expect(machine.observeRefusal() == .unknown)
        #expect(machine.state == .unknown)
        #expect(machine.observe(.notReachable) == .notReachable)
    }

    @Test("is not in question if the session refuses a destination, a certificate, or has no valid credentials")
    func refusals() {
        let refusals = TransferError.Code.allCases.filter { ReachabilityMachine.isRefusal($0) }
        #expect(
            Set(refusals) == [
                .egressDenied, .untrustedRoot, .certificateExpired, .certificateNotYetValid, .hostMismatch,
                .pinMismatch, .revoked, .clientCertificateRejected, .clientCertificateRequired, .authenticationFailed,
            ])
    }

    @Test(
        "follows from the outcome of a transfer",
        arguments: [
            (.cannotFindHost, false, .notReachable), (.cannotConnect, false, .notReachable),
            (.notConnected, false, .notReachable), (.timedOut, false, .notReachable),
            (.timedOut, true, .unknown), (.connectionLost, true, .unknown),
            (.untrustedRoot, true, .unknown), (.secureConnectionFailed, true, .unknown), (.canceled, false, .unknown),
            (.sessionClosed, false, .unknown), (.bodyTooLarge, true, .unknown),
        ] as [(TransferError.Code, Bool, Reachability)])
    func evidence(code: TransferError.Code, isConnected: Bool, expected: Reachability) {
        var outcome = TransferOutcome(error: TransferError(code, "So it ended"))
        if isConnected { outcome.metrics.connect = .milliseconds(1) }
        #expect(ReachabilityMachine.evidence(of: outcome) == expected)
    }

    @Test("does not follow from a transfer that timed out while it waited for a free connection")
    func waiting() {
        var outcome = TransferOutcome(error: TransferError(.timedOut, "Late"))
        outcome.hasOnlyWaited = true
        #expect(ReachabilityMachine.evidence(of: outcome) == .unknown)
    }

    @Test(
        "does not follow from a lack of resources of this machine",
        arguments: [TransferError.Code.cannotFindHost, .cannotConnect])
    func refusedByThisMachine(code: TransferError.Code) {
        var error = TransferError(code, "No free descriptor")
        error.isLocal = true
        #expect(ReachabilityMachine.evidence(of: TransferOutcome(error: error)) == .unknown)
    }

    @Test("is confirmed by any response", arguments: [200, 404, 503])
    func response(status: Int) {
        let outcome = TransferOutcome(head: ResponseHead(status: status), error: .canceled)
        #expect(ReachabilityMachine.evidence(of: outcome) == .reachable)
    }
}
