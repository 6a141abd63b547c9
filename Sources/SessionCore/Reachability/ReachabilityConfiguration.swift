/// How a session finds out whether its upstream can be reached.
public struct ReachabilityConfiguration: Sendable, Hashable {
    /// Where the knowledge comes from.
    public enum Probe: Sendable, Hashable {
        /// From the session's own transfers alone.
        case passive
        /// From connections to the base URL's host and port besides, one an interval.
        case tcp
        /// From requests to a path below the base URL besides, one an interval; an answer of 2xx or 3xx is a good one.
        case http(path: String)
    }

    /// Where the knowledge comes from.
    ///
    /// Default: the session's own transfers.
    public var probe: Probe
    /// From the end of one probe to the next.
    ///
    /// Default: 30 s.
    public var interval: Duration
    /// Whether whoever queues tasks for the session, as the gateway does, holds them back while the upstream cannot be
    /// reached.
    ///
    /// The session itself runs what it is given.
    /// Then there are connections to find out when it can be again, even when ``probe-swift.property`` is
    /// ``Probe/passive``. Default: no, reachability is told and nothing else.
    public var holdsWhenUnreachable: Bool

    /// Creates the defaults.
    public init(probe: Probe = .passive, interval: Duration = .seconds(30), holdsWhenUnreachable: Bool = false) {
        self.probe = probe
        self.interval = interval
        self.holdsWhenUnreachable = holdsWhenUnreachable
    }
}
