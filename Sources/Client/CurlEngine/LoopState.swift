import ErrandEventLoop
import ErrandTime
import ErrandTransfer

/// The state that all pools and transfers of an engine share.
///
/// Used on the loop's thread only, while the engine runs.
final class LoopState {
    /// The time after which a turn starts no further work; the rest waits until commands and timeouts were handled.
    private static let maxTurnNanoseconds: Int64 = 20_000_000

    /// The current time, updated before each call of libcurl: turns may be long, and a timeout must not start early.
    private(set) var now = MonotonicInstant.now
    /// The number of the current turn.
    private(set) var turn = 0
    private var turnBegan = MonotonicInstant.now
    /// The sockets of all pools.
    let sockets: SocketTable
    /// The lookups of names.
    let lookups: NameLookups
    /// Ends connections that would block the thread.
    let watch: FloodWatch
    /// The times at which libcurl wants to be called for a pool.
    var poolDeadlines = PoolDeadlines()
    /// The times at which an unused pool closes its connections.
    var idleDeadlines = PoolDeadlines()
    /// The times at which a transfer's timeouts are checked next, by the transfer's slot.
    var transferDeadlines = DeadlineQueue()
    /// Transfers to end after libcurl has returned: it forbids removing them in its callbacks.
    var endingTransfers: [CurlTransfer] = []
    /// Transfers that used up their share of the turn and continue in the next.
    var yieldingTransfers: [CurlTransfer] = []
    /// Transfers over HTTP/2 whose end libcurl does not notice by itself.
    var unnoticedEnds: [CurlTransfer] = []
    /// The HTTP/2 connections whose input libcurl may have read without processing it.
    var unprocessedInputs = UnprocessedInputs()
    /// A Boolean value that indicates whether a connection or a name lookup has got no descriptor in this turn.
    var isShortOfDescriptors = false

    /// The time for which the connections of an idle pool are kept.
    let maxIdleTime: Duration

    init(loop: EventLoop, watch: FloodWatch, maxIdleTime: Duration, lookups: AbandonedLookups) {
        self.watch = watch
        self.maxIdleTime = maxIdleTime
        sockets = SocketTable(loop: loop, watch: watch)
        self.lookups = NameLookups(sockets: sockets, abandoned: lookups)
    }

    /// Updates ``now``.
    func readTime() {
        now = .now
    }

    /// Starts the next turn.
    func beginTurn() {
        readTime()
        turnBegan = now
        turn &+= 1
    }

    /// A Boolean value that indicates whether the turn has lasted long enough, by the time that was read last.
    var isTurnSpent: Bool { now.nanoseconds - turnBegan.nanoseconds > Self.maxTurnNanoseconds }
}

extension MonotonicInstant {
    /// The current time of `CLOCK_MONOTONIC`.
    static var now: MonotonicInstant {
        MonotonicInstant(nanoseconds: SystemClock.monotonicNanoseconds())
    }
}
