import ErrandTransfer

/// The known reachability of an upstream: a state machine that consumes evidence and returns changes.
///
/// ```
/// unknown ──evidence──▶ reachable ◀──evidence──▶ notReachable ──refusal──▶ unknown
/// ```
///
/// The first evidence of an unknown upstream is always a change; evidence of the known state is not. A connection that
/// the session has refused, or for which this machine has no resource, is no evidence.
struct ReachabilityMachine: Sendable {
    private(set) var state: Reachability

    /// Creates a machine.
    ///
    /// - Parameter state: What is known of the upstream already. Default: nothing.
    init(_ state: Reachability = .unknown) {
        self.state = state
    }

    /// Records evidence.
    ///
    /// - Returns: The new state if it has changed, `nil` otherwise.
    mutating func observe(_ evidence: Reachability) -> Reachability? {
        guard evidence != .unknown, evidence != state else { return nil }
        state = evidence
        return evidence
    }

    /// Records that the session itself has refused to connect or to send a request.
    ///
    /// Tasks must not wait for an upstream that will not be tried: if it was not reachable, it is unknown again, and
    /// the next task shows the error.
    ///
    /// - Returns: The new state if it has changed, `nil` otherwise.
    mutating func observeRefusal() -> Reachability? {
        guard state == .notReachable else { return nil }
        state = .unknown
        return state
    }

    /// Returns true if an error is a refusal by the rules of the session or for lack of valid credentials, which says
    /// nothing about the reachability of the upstream.
    static func isRefusal(_ code: TransferError.Code) -> Bool {
        switch code {
        case .egressDenied, .untrustedRoot, .certificateExpired, .certificateNotYetValid, .hostMismatch, .pinMismatch,
            .revoked, .clientCertificateRejected, .clientCertificateRequired, .authenticationFailed:
            true
        default:
            false
        }
    }

    /// Returns the evidence that the end of a transfer gives about the reachability of its peer.
    ///
    /// | end | evidence |
    /// | --- | --- |
    /// | a response, of any status | reachable |
    /// | no name, no connection, no network | not reachable |
    /// | a timeout before the connection was established | not reachable |
    /// | a timeout of a transfer that only waited for a free connection | none |
    /// | this machine has no resource for a connection, such as a descriptor or a port | none |
    /// | anything else: rejected certificates, lost connections, cancellations | none |
    static func evidence(of outcome: TransferOutcome) -> Reachability {
        if outcome.head != nil { return .reachable }
        if outcome.hasOnlyWaited || outcome.error?.isLocal == true { return .unknown }
        return switch outcome.error?.code {
        case .cannotFindHost, .cannotConnect, .notConnected: .notReachable
        case .timedOut where outcome.metrics.connect == nil && outcome.metrics.bytesSent == 0: .notReachable
        default: .unknown
        }
    }
}

/// The reachability of a session's upstream.
public enum Reachability: String, Sendable, Hashable, CaseIterable {
    /// Nothing is known yet, or no longer: the session itself has refused to probe an unreachable upstream.
    case unknown
    /// The upstream has responded.
    case reachable
    /// No connection could be established.
    case notReachable = "not_reachable"
}
