import CCurl
import Egress
import Transfer

/// What a transfer has seen of the connection that it makes or uses.
struct ConnectionAttempt {
    /// TLS handshakes over the socket that was opened last.
    var handshakes = 0
    /// The TLS connection that the transfer makes or uses: of several, the one made last.
    var handshake: PeerHandshake?
    /// Why an address was not dialled.
    var egressRefusal: EgressRefusal?
    /// The sockets that were opened, one for each address that was dialled.
    var sockets: [Int32] = []
}

// MARK: - Callbacks of libcurl while a connection is made

extension CurlTransfer {
    /// A connection needs a socket.
    ///
    /// Each address of each attempt of each hop is judged here, after all name lookup: what is judged is dialled.
    func openSocket(_ address: UnsafePointer<curl_sockaddr>) -> Int32 {
        guard let easy else { return ccurl_SOCKET_BAD }
        attempt.handshakes = 0
        if let refusal = easy.options.egress.refusal(of: address, for: request.url) {
            attempt.egressRefusal = refusal
            return ccurl_SOCKET_BAD
        }
        let socket = easy.events.openSocket(address)
        if socket != ccurl_SOCKET_BAD { attempt.sockets.append(socket) }
        return socket
    }

    /// There is a connection, or there will be none: of the sockets that were opened at most one is left.
    func settleSockets(in events: MultiEvents) {
        guard !attempt.sockets.isEmpty else { return }
        events.didOpen(attempt.sockets)
        attempt.sockets.removeAll()
    }

    /// A TLS handshake is about to begin, by an OpenSSL context (`SSL_CTX`) of its own.
    func willSecure(_ context: OpaquePointer) -> CURLcode {
        guard let easy else { return CURLE_ABORTED_BY_CALLBACK }
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

    /// Looks whom the request is about to be sent to.
    ///
    /// The last line of defence, for connections that were made by other transfers as well: without a peer that was
    /// accepted as this very host, nothing is sent over TLS.
    ///
    /// - Returns: Why the request must not be sent.
    func judgeConnection() -> TransferError? {
        if easy?.events.isRetired == true { return .sessionRetired }
        guard request.url.scheme == .https else { return nil }
        guard let connection = easy?.tlsConnection, let handshake = PeerHandshake.of(connection: connection),
            handshake.isAccepted(as: request.url.host)
        else {
            return TransferError(.secureConnectionFailed, "The peer was not judged before the request")
        }
        handshake.didSettle(over: connection)
        attempt.handshake = handshake
        return nil
    }

    /// Why there was no connection, or no more, where we or the peer had a reason that libcurl does not know.
    func connectionFailure(of result: CURLcode) -> TransferError? {
        switch result {
        case CURLE_COULDNT_CONNECT:
            // Others of the host's addresses may have been dialled, and none answered.
            return attempt.egressRefusal.map(TransferError.egressDenied)
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CLIENTCERT, CURLE_SSL_CIPHER:
            return attempt.handshake?.failure(duringHandshake: true)
        default:
            return attempt.handshake?.failure(duringHandshake: false)
        }
    }
}
