import ErrandEgress
import ErrandTransfer

/// The settings by which a session monitors the reachability of its upstream.
public struct ReachabilityConfiguration: Sendable, Hashable {
    /// The source of reachability information.
    public enum Probe: Sendable, Hashable {
        /// Only the session's own transfers.
        case passive
        /// Also connections to the base URL's host and port, one per interval.
        case tcp
        /// Also requests to a path below the base URL, one per interval; a status of 2xx or 3xx means reachable.
        ///
        /// A request is repeated once to answer an authentication challenge.
        case http(path: String)
    }

    /// The source of reachability information.
    ///
    /// Default: the session's own transfers.
    public var probe: Probe
    /// The time from the end of one probe to the next.
    ///
    /// Default: 30 s.
    public var interval: Duration
    /// True if the owner of a queue of tasks starts none while the upstream is not reachable.
    ///
    /// The session itself runs every task that it is given. If true, connections probe an unreachable upstream even if
    /// ``probe-swift.property`` is ``Probe/passive``. Default: false, reachability is only reported.
    package var holdsWhenUnreachable: Bool
    /// True if `${…}` has inserted something into the path of ``Probe/http(path:)``, which is then not shown.
    ///
    /// Default: false.
    package var isProbePathSecret = false

    /// Creates a configuration with defaults.
    public init(probe: Probe = .passive, interval: Duration = .seconds(30)) {
        self.init(probe: probe, interval: interval, holdsWhenUnreachable: false)
    }

    /// Creates a configuration, with the setting of the owner of a queue of tasks.
    package init(probe: Probe = .passive, interval: Duration = .seconds(30), holdsWhenUnreachable: Bool) {
        self.probe = probe
        self.interval = interval
        self.holdsWhenUnreachable = holdsWhenUnreachable
    }
}

extension SessionConfiguration {
    /// Returns true if the known reachability of another configuration's upstream holds for this one's too.
    ///
    /// That is so if both have the same upstream, connect to it in the same way, and learn of its reachability by the
    /// same probe.
    func sharesReachability(with other: SessionConfiguration) -> Bool {
        baseURL == other.baseURL && connection == other.connection && egress == other.egress
            && reachability.probe == other.reachability.probe
    }
}
