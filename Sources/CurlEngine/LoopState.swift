import EventLoop
import Transfer

/// What all pools and transfers of one engine share.
///
/// On the loop's thread, for as long as the engine runs.
final class LoopState {
    /// The time, read anew before each piece of libcurl's work: a turn may be long, and a limit of time must not begin
    /// before what it is about.
    private(set) var now = MonotonicInstant.now
    /// The sockets of all pools.
    let sockets: SocketTable
    /// When libcurl wants to be called for a pool, by the pool's number.
    var poolDeadlines = DeadlineQueue()
    /// When a transfer's limits of time are to be looked at, by the transfer's slot.
    var transferDeadlines = DeadlineQueue()
    /// Transfers that end after libcurl has returned, because it forbids to take them back in its callbacks.
    var endingTransfers: [CurlTransfer] = []

    init(loop: EventLoop) {
        sockets = SocketTable(loop: loop)
    }

    /// Reads the clock.
    func readTime() {
        now = .now
    }
}
