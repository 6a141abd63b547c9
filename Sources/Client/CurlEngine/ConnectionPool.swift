import CErrandCurl
import ErrandTransfer

/// The connections of one session: those of its transfers, or those of its probes.
///
/// Used on the loop's thread only.
final class ConnectionPool {
    /// The time for which a busy pool keeps no idle connections after it was asked to close them.
    private static let shortageTime = Duration.seconds(10)

    private let id: PoolID
    private let options: SessionOptions
    private let events: MultiEvents
    private let state: LoopState
    /// The multi handle; `nil` while there are neither connections nor transfers.
    private var multi: CurlMulti?
    private var attached = 0
    private var isShort = false
    private var lastURL: DialledURL?
    private var lastHeaders: HeaderList?
    let counters: SessionCounters
    /// A Boolean value that indicates whether the engine has yet to check this pool for completed transfers.
    var isTouched = false {
        didSet { if isTouched { events.beginTurn() } }
    }

    init(
        _ options: ConnectionOptions, id: PoolID, counters: SessionCounters, state: LoopState
    ) throws(CurlFailure) {
        self.id = id
        self.counters = counters
        self.state = state
        self.options = try SessionOptions(options, isForProbes: id.isOfProbes)
        events = MultiEvents(pool: id, state: state, counters: counters)
    }

    /// The options that connections are made with.
    var connectionOptions: ConnectionOptions { options.connection }

    /// Returns the reason why no connection may be made for a request, independent of the host's addresses.
    ///
    /// Returns `nil` if one may be made. After ``retire()`` every request is refused, so that no connection is made
    /// under rules that are no longer in force.
    func refusal(of request: TransferRequest) -> TransferError? {
        isRetired ? .sessionRetired : options.refusal(of: request.url)
    }

    /// A Boolean value that indicates whether the pool may no longer send requests.
    var isRetired: Bool { events.isRetired }

    /// Prevents the pool from sending further requests.
    func retire() {
        events.isRetired = true
    }

    /// Closes all connections, once every transfer is detached; the pool is not used afterwards.
    func close() {
        multi = nil
    }

    /// Counts the start of a transfer or probe.
    func didStart(_ transfer: CurlTransfer) {
        if transfer.isProbe { counters.probeStarted() } else { counters.transferStarted() }
    }

    /// Counts the end of a transfer or probe.
    func didEnd(_ transfer: CurlTransfer, reused isReused: Bool) {
        if transfer.isProbe { counters.probeEnded() } else { counters.transferEnded(reused: isReused) }
    }

    /// Adds a transfer to the multi handle.
    func attach(_ transfer: CurlTransfer) throws(CurlFailure) {
        let multi = try readyMulti()
        let easy = try CurlEasy(
            for: transfer, options: options, events: events, url: url(of: transfer.request),
            headers: headers(of: transfer.request))
        transfer.easy = easy
        do {
            try multi.add(easy)
        } catch {
            easy.transfer = nil
            transfer.easy = nil
            throw error
        }
        attached += 1
        if !isShort { state.idleDeadlines.set(nil, for: id) }
    }

    /// Removes a transfer from the multi handle; a no-op if it is not attached.
    func detach(_ transfer: CurlTransfer) {
        guard let easy = transfer.easy else { return }
        transfer.resetStream()
        multi?.remove(easy)
        transfer.leaveLookups(to: state.lookups, at: state.now)
        transfer.settleSockets(in: events)
        easy.transfer = nil
        transfer.easy = nil
        attached -= 1
        guard attached == 0 else { return }
        if isShort { return closeIdleConnections() }
        state.idleDeadlines.set(state.now.advanced(by: state.maxIdleTime), for: id)
    }

    private func readyMulti() throws(CurlFailure) -> CurlMulti {
        if let multi { return multi }
        let multi = try CurlMulti(events: events)
        // A safety net: libcurl queues transfers beyond this limit, although their owners decide on admission. Probes
        // are not limited: a probe tells whether the host can be reached, not whether the pool has room.
        try multi.set(
            CURLMOPT_MAX_HOST_CONNECTIONS, id.isOfProbes ? 0 : max(1, options.connection.maxConnectionsPerHost))
        try multi.set(CURLMOPT_MAXCONNECTS, maxIdleConnections)
        // The peer sets the limit of streams per connection (RFC 9113 §5.1.2); libcurl's own limit would be 100.
        try multi.set(CURLMOPT_MAX_CONCURRENT_STREAMS, Int(Int32.max))
        self.multi = multi
        return multi
    }

    private var maxIdleConnections: Int {
        max(1, options.connection.maxIdleConnections, options.connection.maxConnectionsPerHost)
    }

    /// Returns the parsed URL, reusing the last one: transfers of a session often request the same URL.
    private func url(of request: TransferRequest) throws(CurlFailure) -> DialledURL {
        if let lastURL, lastURL.url == request.url { return lastURL }
        let url = try DialledURL(request.url)
        lastURL = url
        return url
    }

    private func headers(of request: TransferRequest) throws(CurlFailure) -> HeaderList {
        let headers = RequestHeaders(request)
        if let lastHeaders, lastHeaders.headers.isSame(as: headers) { return lastHeaders }
        let list = try HeaderList(headers)
        lastHeaders = list
        return list
    }

    // MARK: Idle connections

    /// Closes idle connections to free their descriptors.
    ///
    /// While transfers run, libcurl closes one idle connection at the end of each, and may keep none for some seconds.
    func closeIdleConnections() {
        if attached == 0 {
            isShort = false
            multi = nil
            state.poolDeadlines.set(nil, for: id)
            state.idleDeadlines.set(nil, for: id)
        } else {
            isShort = limitIdleConnections(to: 1)
            state.idleDeadlines.set(state.now.advanced(by: Self.shortageTime), for: id)
        }
    }

    /// Handles the expiry of the pool's deadline in ``LoopState/idleDeadlines``.
    func idleTimeIsOver() {
        if isShort {
            isShort = !limitIdleConnections(to: maxIdleConnections)
        } else {
            closeIdleConnections()
        }
    }

    /// - Returns: True if libcurl accepted the limit, which it always does.
    private func limitIdleConnections(to count: Int) -> Bool {
        guard let multi else { return false }
        do throws(CurlFailure) {
            try multi.set(CURLMOPT_MAXCONNECTS, count)
            return true
        } catch {
            return false
        }
    }

    // MARK: Calls of libcurl

    func socketIsReady(_ socket: Int32, _ events: Int32) {
        guard let multi else { return }
        state.watch.willWork(for: id)
        multi.socketIsReady(socket, events)
        state.watch.didWork()
    }

    /// Lets all transfers of a connection read what is there.
    func readNow(_ socket: Int32) {
        socketIsReady(socket, ccurl_SELECT_IN)
        // libcurl lets one of them read, and with its timers the others, if there is more.
        timeIsDue()
    }

    func timeIsDue() {
        guard let multi else { return }
        state.watch.willWork(for: id)
        multi.timeIsDue()
        state.watch.didWork()
    }

    func nextDone() -> (CurlTransfer, CURLcode)? {
        multi?.nextDone()
    }
}
