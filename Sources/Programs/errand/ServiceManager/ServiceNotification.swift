/// A change that the process reports to its service manager, in the protocol of sd_notify(3).
enum ServiceNotification: Sendable, Hashable {
    /// Clients are accepted and tasks run; also the end of a reload.
    case ready
    /// A reload begins, with the microseconds of `CLOCK_MONOTONIC`.
    case reloading(atMicroseconds: Int64)
    /// The process begins to stop.
    case stopping
    /// Tasks of the process run, for the watchdog of the service manager.
    case alive

    /// The assignments of the datagram.
    var text: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let microseconds): "RELOADING=1\nMONOTONIC_USEC=\(microseconds)"
        case .stopping: "STOPPING=1"
        case .alive: "WATCHDOG=1"
        }
    }
}
