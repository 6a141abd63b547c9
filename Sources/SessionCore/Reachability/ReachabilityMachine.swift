import Transfer

/// What a session knows of its upstream, as a value: evidence goes in, changes come out.
///
/// ```
/// unknown ──evidence──▶ reachable ◀──evidence──▶ notReachable
/// ```
///
/// The first evidence is always a change; evidence for what is known already is none.
struct ReachabilityMachine: Sendable {
    private(set) var state = Reachability.unknown

    /// Takes in what somebody has found out.
    ///
    /// - Returns: The new state when it is another, `nil` otherwise.
    mutating func observe(_ evidence: Reachability) -> Reachability? {
        guard evidence != .unknown, evidence != state else { return nil }
        state = evidence
        return evidence
    }

    /// What the end of a transfer tells about whether its peer can be reached.
    ///
    /// | end | evidence |
    /// | --- | --- |
    /// | a response, of any status | reachable |
    /// | no name, no connection, no network | not reachable |
    /// | a limit of time before there was a connection | not reachable |
    /// | anything else: refused certificates, lost connections, cancels | none |
    static func evidence(of outcome: TransferOutcome) -> Reachability {
        if outcome.head != nil { return .reachable }
        return switch outcome.error?.code {
        case .cannotFindHost, .cannotConnect: .notReachable
        case .timedOut where outcome.metrics.connect == nil && outcome.metrics.bytesSent == 0: .notReachable
        default: .unknown
        }
    }
}
