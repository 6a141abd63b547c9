import CCurl
import Transfer

/// The connections and handles of one session: those of its transfers, or those of its probes.
///
/// On the loop's thread.
final class ConnectionPool {
    /// The most unused handles that are kept: what a burst needed beyond is given back.
    private static let maxIdleHandles = 256

    private let options: SessionOptions
    private let events: MultiEvents
    private let multi: CurlMulti
    private var idleHandles: [CurlEasy] = []
    let counters: SessionCounters
    /// The engine has yet to look for transfers that are done.
    var isTouched = false

    init(
        _ options: ConnectionOptions, id: PoolID, counters: SessionCounters, state: LoopState
    ) throws(CurlFailure) {
        self.counters = counters
        self.options = try SessionOptions(options, isForProbes: id.isOfProbes)
        events = MultiEvents(pool: id, state: state, counters: counters)
        multi = try CurlMulti(events: events)
        // Who asks for more than this waits in libcurl. A safety net: admission belongs to the owners of transfers.
        // Probes do not wait: each tells whether there is a way, not whether there is room.
        try multi.set(CURLMOPT_MAX_HOST_CONNECTIONS, id.isOfProbes ? 0 : max(1, options.maxConnectionsPerHost))
        try multi.set(CURLMOPT_MAXCONNECTS, max(1, options.maxIdleConnections, options.maxConnectionsPerHost))
        // The peer says how many streams a connection may have (RFC 9113 §5.1.2): libcurl's own limit is 100.
        try multi.set(CURLMOPT_MAX_CONCURRENT_STREAMS, Int(Int32.max))
    }

    /// What connections are made with.
    var connectionOptions: ConnectionOptions { options.connection }

    /// Why nothing may be dialled for a request, whatever its host's addresses are; `nil` when it may.
    ///
    /// After ``retire()`` nothing is: not even a connection is made by rules that are not in force any more.
    func refusal(of request: TransferRequest) -> TransferError? {
        events.isRetired ? .sessionRetired : options.refusal(of: request.url)
    }

    /// Lets no further request be sent.
    func retire() {
        events.isRetired = true
    }

    /// Counts a transfer or probe that begins.
    func didStart(_ transfer: CurlTransfer) {
        if transfer.isProbe { counters.probeStarted() } else { counters.transferStarted() }
    }

    /// Counts the end of one.
    func didEnd(_ transfer: CurlTransfer, reused isReused: Bool) {
        if transfer.isProbe { counters.probeEnded() } else { counters.transferEnded(reused: isReused) }
    }

    /// Gives a transfer to libcurl.
    func attach(_ transfer: CurlTransfer) throws(CurlFailure) {
        let easy =
            if let idle = idleHandles.popLast() { idle } else { try CurlEasy(options: options, events: events) }
        try easy.prepare(transfer)
        easy.transfer = transfer
        transfer.easy = easy
        do {
            try multi.add(easy)
        } catch {
            easy.transfer = nil
            transfer.easy = nil
            throw error
        }
    }

    /// Takes a transfer back; nothing, if libcurl does not have it.
    func detach(_ transfer: CurlTransfer) {
        guard let easy = transfer.easy else { return }
        multi.remove(easy)
        transfer.settleSockets(in: events)
        easy.transfer = nil
        transfer.easy = nil
        // A probe's is for one use: libcurl remembers in it a connection that is closed by now.
        if !transfer.isProbe, idleHandles.count < Self.maxIdleHandles { idleHandles.append(easy) }
    }

    func socketIsReady(_ socket: Int32, _ events: Int32) {
        multi.socketIsReady(socket, events)
    }

    func timeIsDue() {
        multi.timeIsDue()
    }

    func nextDone() -> (CurlTransfer, CURLcode)? {
        multi.nextDone()
    }
}
