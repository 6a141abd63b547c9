import CErrandCurl
import ErrandEgress
import ErrandFiles
import ErrandTransfer

/// The state of the connection that a transfer makes or uses.
struct ConnectionAttempt {
    /// A Boolean value that indicates whether libcurl has begun to look up a name or to open a socket.
    var hasBegun = false
    /// The numbers of the name lookups that libcurl no longer waits for, and that may go on.
    var lookups: [Int] = []
    /// A Boolean value that indicates whether libcurl may be looking up the host behind a proxy, which ends unseen.
    var hasUnseenLookup = false
    /// The number of TLS handshakes over the socket that was opened last.
    var handshakes = 0
    /// The TLS handshake of the connection that the transfer makes or uses; with several, the latest.
    var handshake: PeerHandshake?
    /// The reason for which an address was refused by the egress policy.
    var egressRefusal: EgressRefusal?
    /// The opened sockets, one for each address that was tried, until the connection is made or the transfer detached.
    var sockets: [OpenedSocket] = []
    /// The failures of the addresses that were tried, except that of the last for which a socket was opened.
    var failures = AddressFailures()

    /// The reason for which the egress policy has refused the host; `nil` if it has refused no address, or permits one.
    var refusalOfHost: EgressRefusal? {
        // An address with a socket was permitted, and so was one for which this machine has no socket. Either may be
        // reachable later.
        sockets.isEmpty && failures.isEmpty ? egressRefusal : nil
    }
}

// MARK: - Callbacks of libcurl while a connection is made

extension CurlTransfer {
    /// Decides whether libcurl may look up a name, which takes a thread and descriptors until the resolver ends.
    ///
    /// libcurl asks for addresses too, which need no lookup, and does not tell for which name it asks.
    ///
    /// - Returns: False if the transfer has failed instead.
    func willLookUp() -> Bool {
        attempt.hasBegun = true
        guard let state, let easy else { return true }
        let isBehindProxy = !attempt.sockets.isEmpty && easy.options.looksUpHostsBehindProxy
        // With a socket and no such proxy, it is the address of this machine for the connection.
        guard isBehindProxy || attempt.sockets.isEmpty,
            let name = easy.options.nameToLookUp(for: request.url, isBehindProxy: isBehindProxy)
        else { return true }
        if let refusal = state.lookups.refusal(for: pool, at: state.now) {
            if refusal == .tooFewDescriptors { state.isShortOfDescriptors = true }
            var error = TransferError(.cannotFindHost, "\(name) was not looked up: \(refusal.reason)")
            error.isLocal = true
            failOutsideCallback(error)
            return false
        }
        if isBehindProxy {
            // While libcurl waits for this lookup, it tells only of the connection to the proxy. A message says that
            // the name was found, and a result that it was not.
            attempt.hasUnseenLookup = true
            easy.listen()
        }
        return true
    }

    /// Records that libcurl has a result, and so no longer looks up a name, unless it gave up at the connect timeout.
    func didGet(_ result: CURLcode) {
        if result != CURLE_OPERATION_TIMEDOUT { attempt.hasUnseenLookup = false }
    }

    /// Records that the transfer was detached, and leaves its lookups to their threads.
    func leaveLookups(to lookups: NameLookups, at now: MonotonicInstant) {
        for lookup in attempt.lookups { lookups.didAbandon(lookup, of: pool) }
        if attempt.hasUnseenLookup { lookups.didAbandonUnseen(of: pool, at: now) }
        attempt.lookups.removeAll()
        attempt.hasUnseenLookup = false
    }

    /// Opens a socket for a connection.
    ///
    /// Checks each address of each attempt of each hop here, after name resolution, so that the checked address is the
    /// one connected to.
    func openSocket(_ address: UnsafePointer<curl_sockaddr>) -> Int32 {
        guard let easy else { return ccurl_SOCKET_BAD }
        attempt.hasBegun = true
        attempt.handshakes = 0
        if let refusal = easy.options.egress.refusal(of: address, for: request.url) {
            attempt.egressRefusal = refusal
            return ccurl_SOCKET_BAD
        }
        if !attempt.sockets.isEmpty { attempt.failures.add(easy.systemError) }
        do throws(SystemFailure) {
            let socket = try easy.events.openSocket(address)
            attempt.sockets.append(socket)
            return socket.number
        } catch {
            // Other numbers mean that the machine does not know the kind of the address, as if it had no route to it.
            if TransferError.isOfThisMachine(error.number) { attempt.failures.add(error.number) }
            return ccurl_SOCKET_BAD
        }
    }

    /// Forgets the failed addresses and the unused ones of the opened sockets, once the connection was made or has
    /// failed.
    func settleSockets(in events: MultiEvents) {
        attempt.failures = AddressFailures()
        guard !attempt.sockets.isEmpty else { return }
        events.didOpen(attempt.sockets)
        attempt.sockets.removeAll()
    }

    /// Prepares a TLS handshake that uses its own OpenSSL context (`SSL_CTX`).
    func willSecure(_ context: OpaquePointer) -> CURLcode {
        guard let easy else { return CURLE_ABORTED_BY_CALLBACK }
        if let refusal = refusalBeforeResending {
            failOutsideCallback(refusal)
            return CURLE_ABORTED_BY_CALLBACK
        }
        do throws(TransferError) {
            let handshake = try easy.options.handshake(attempt.handshakes, to: request.url)
            attempt.handshakes += 1
            attempt.handshake = handshake
            return handshake.install(in: context) ? CURLE_OK : CURLE_OUT_OF_MEMORY
        } catch {
            failOutsideCallback(error)
            return CURLE_ABORTED_BY_CALLBACK
        }
    }

    /// The reason for which libcurl must not send the request again; `nil` for none.
    ///
    /// Over the connection that is gone, the peer rejected the client certificate or its absence. Another connection would
    /// end in the same way, and libcurl does not report the reason.
    var refusalBeforeResending: TransferError? {
        guard machine.wasSent, let handshake = attempt.handshake, !handshake.wasAnswered else { return nil }
        return handshake.failure(duringHandshake: false)
    }

    /// Checks the peer that the request is about to be sent to.
    ///
    /// The last line of defence, which also covers connections made by other transfers: nothing is sent over TLS unless
    /// the peer was accepted for exactly this host.
    ///
    /// - Returns: The reason for which the request must not be sent, or `nil`.
    func judgeConnection() -> TransferError? {
        if easy?.events.isRetired == true { return .sessionRetired }
        guard request.url.scheme == .https else { return nil }
        guard let connection = easy?.tlsConnection, let handshake = PeerHandshake.of(connection: connection),
            handshake.isAccepted(as: request.url.host)
        else {
            return TransferError(.secureConnectionFailed, "The peer was not verified before the request")
        }
        handshake.didSettle(over: connection)
        attempt.handshake = handshake
        return nil
    }

    /// Prepares the transfer for a connection of its own, because libcurl has refused to send its content over another.
    ///
    /// libcurl sends no content of unknown length over a connection that has brought a response of HTTP/1.0, and keeps
    /// the connection: another attempt would meet it again. Over a new one it sends the content in chunks, as to a peer
    /// that it does not know, so that the outcome does not depend on which connections are idle.
    ///
    /// - Returns: True if nothing was sent, and the transfer has to be attached anew.
    func prepareOwnConnection() -> Bool {
        guard !needsOwnConnection, machine.didNotSend() else { return false }
        needsOwnConnection = true
        return true
    }

    /// Returns the error for a failed or lost connection if the engine or the peer had a reason unknown to libcurl.
    func connectionFailure(of result: CURLcode) -> TransferError? {
        switch result {
        case CURLE_COULDNT_CONNECT:
            return attempt.refusalOfHost.map(TransferError.egressDenied)
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CLIENTCERT, CURLE_SSL_CIPHER:
            return attempt.handshake?.failure(duringHandshake: true)
        default:
            return attempt.handshake?.failure(duringHandshake: false)
        }
    }
}
