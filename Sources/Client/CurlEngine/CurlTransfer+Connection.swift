import CErrandCurl
import ErrandEgress
import ErrandTransfer

/// The state of the connection that a transfer makes or uses.
struct ConnectionAttempt {
    /// A Boolean value that indicates whether libcurl has begun to look up a name or to open a socket.
    var hasBegun = false
    /// The number of TLS handshakes over the socket that was opened last.
    var handshakes = 0
    /// The TLS handshake of the connection that the transfer makes or uses; with several, the latest.
    var handshake: PeerHandshake?
    /// The reason for which an address was refused by the egress policy.
    var egressRefusal: EgressRefusal?
    /// The opened sockets, one for each address that was tried, until the connection is made or the transfer detached.
    var sockets: [Int32] = []
    /// The error number (errno) of the latest address that has failed although the machine has a route to it; 0 for an
    /// address that had not failed when the next was tried, `nil` for none.
    ///
    /// libcurl keeps only the number of the failure that came last, such as that of an IPv6 address on a machine
    /// without IPv6, which says nothing about the IPv4 address of the same host.
    var routedError: Int32?
}

// MARK: - Callbacks of libcurl while a connection is made

extension CurlTransfer {
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
        if attempt.sockets.isEmpty {
            attempt.routedError = nil
        } else if !TransferError.meansNoRoute(easy.systemError) {
            attempt.routedError = easy.systemError
        }
        let socket = easy.events.openSocket(address)
        if socket != ccurl_SOCKET_BAD { attempt.sockets.append(socket) }
        return socket
    }

    /// Forgets the unused ones of the opened sockets, once the connection was made or has failed.
    func settleSockets(in events: MultiEvents) {
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
            // With a socket, an address that the policy allows was tried, and may be reachable later.
            return attempt.sockets.isEmpty ? attempt.egressRefusal.map(TransferError.egressDenied) : nil
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CLIENTCERT, CURLE_SSL_CIPHER:
            return attempt.handshake?.failure(duringHandshake: true)
        default:
            return attempt.handshake?.failure(duringHandshake: false)
        }
    }
}
