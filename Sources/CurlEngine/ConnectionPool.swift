import CCurl
import Transfer

/// The connections and handles of one session.
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

    init(_ options: ConnectionOptions, session: SessionID, counters: SessionCounters, state: LoopState)
        throws(CurlFailure)
    {
        self.counters = counters
        self.options = try SessionOptions(options)
        events = MultiEvents(session: session, state: state, counters: counters)
        multi = try CurlMulti(events: events)
        // Who asks for more than this waits in libcurl. A safety net: admission belongs to the owners of transfers.
        try multi.set(CURLMOPT_MAX_HOST_CONNECTIONS, max(1, options.maxConnectionsPerHost))
        try multi.set(CURLMOPT_MAXCONNECTS, max(1, options.maxIdleConnections, options.maxConnectionsPerHost))
    }

    /// Gives a transfer to libcurl.
    func attach(_ transfer: CurlTransfer) throws(CurlFailure) {
        let easy =
            if let idle = idleHandles.popLast() { idle } else { try CurlEasy(options: options, events: events) }
        try easy.prepare(transfer.request, source: transfer.source)
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
        easy.transfer = nil
        transfer.easy = nil
        if idleHandles.count < Self.maxIdleHandles { idleHandles.append(easy) }
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
