import CErrandCurl
import CErrandHTTP2Streams
import ErrandTransfer

// The callbacks of libcurl: each decodes the arguments, makes one call and encodes the result. They are functions
// because a closure would inherit the isolation of its context. All run on the loop's thread, inside a call that the
// engine makes.

/// Calls `body` with the transfer of the handle in `context`, or returns `otherwise` if the handle has no transfer.
///
/// The handle and its transfer outlive the callback, so no reference counting is needed.
private nonisolated func withTransfer<Answer>(
    of context: UnsafeMutableRawPointer?, otherwise: Answer, _ body: (CurlTransfer) -> Answer
) -> Answer {
    guard let context else { return otherwise }
    return Unmanaged<CurlEasy>.fromOpaque(context)._withUnsafeGuaranteedRef { easy in
        easy.transfer.map(body) ?? otherwise
    }
}

/// Returns the ``MultiEvents`` in `context`, which lives until the multi handle is cleaned up.
private nonisolated func events(_ context: UnsafeMutableRawPointer?) -> MultiEvents? {
    context.map { Unmanaged<MultiEvents>.fromOpaque($0).takeUnretainedValue() }
}

/// Receives lines of a response head (`CURLOPT_HEADERFUNCTION`).
nonisolated func curlHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    let lines = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return withTransfer(of: context, otherwise: 0) { transfer in
        if transfer.receiveHeader(lines) { return lines.count }
        transfer.resetStream()
        return 0
    }
}

/// Receives a piece of response content (`CURLOPT_WRITEFUNCTION`).
nonisolated func curlWrite(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    // Any result other than the length of the piece ends the transfer; for an empty piece, 0 would mean success.
    let refusal = piece.isEmpty ? 1 : 0
    return withTransfer(of: context, otherwise: refusal) { transfer in
        switch transfer.receiveContent(piece) {
        case .taken: return piece.count
        case .held: return ccurl_WRITEFUNC_PAUSE
        case .refused:
            transfer.resetStream()
            return refusal
        }
    }
}

/// Fills a buffer with request content (`CURLOPT_READFUNCTION`).
nonisolated func curlRead(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    let room = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    return withTransfer(of: context, otherwise: ccurl_READFUNC_ABORT) { transfer in
        switch transfer.provideContent(room) {
        case .provided(let count): return count
        case .held: return ccurl_READFUNC_PAUSE
        case .failed:
            transfer.resetStream()
            return ccurl_READFUNC_ABORT
        }
    }
}

/// Rewinds the request content so that it can be sent again (`CURLOPT_SEEKFUNCTION`).
///
/// libcurl only seeks to the beginning.
nonisolated func curlSeek(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32) -> Int32 {
    guard offset == 0, origin == 0 else { return ccurl_SEEK_FAIL }
    return withTransfer(of: context, otherwise: ccurl_SEEK_FAIL) {
        $0.rewindContent() ? ccurl_SEEK_OK : ccurl_SEEK_FAIL
    }
}

/// Decides, on an established connection, whether the request may be sent or resent (`CURLOPT_PREREQFUNCTION`).
nonisolated func curlPrerequest(
    _ context: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?,
    _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    withTransfer(of: context, otherwise: ccurl_PREREQUEST_ABORT) { transfer in
        transfer.willSend() ? ccurl_PREREQUEST_OK : ccurl_PREREQUEST_ABORT
    }
}

/// Receives libcurl's informational messages (`CURLOPT_DEBUGFUNCTION`).
nonisolated func curlDebug(
    _ handle: OpaquePointer?, _ type: curl_infotype, _ text: UnsafeMutablePointer<CChar>?, _ length: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard type == CURLINFO_TEXT, let text,
        let message = CurlMessage(UnsafeRawBufferPointer(start: text, count: length))
    else { return 0 }
    withTransfer(of: context, otherwise: ()) { $0.didHear(message) }
    return 0
}

/// Receives the ends and resets of the HTTP/2 streams of transfers, and the pauses and the termination of their
/// connections.
///
/// - Returns: 1 if libcurl must not learn of a reset.
nonisolated func curlStreamEvent(_ handle: UnsafeMutableRawPointer?, _ event: chttp2streams_event) -> Int32 {
    withTransfer(of: handle.flatMap { ccurl_context(OpaquePointer($0)) }, otherwise: 0) { transfer in
        switch event {
        case CHTTP2STREAMS_RESET: return transfer.streamWasReset() ? 1 : 0
        case CHTTP2STREAMS_TERMINATED: transfer.connectionWasTerminated()
        case CHTTP2STREAMS_PAUSED: transfer.connectionWasPaused()
        default: transfer.didReceiveEnd(isEarly: event == CHTTP2STREAMS_EARLY_END)
        }
        return 0
    }
}

/// Decides whether a name may be looked up (`CURLOPT_RESOLVER_START_FUNCTION`).
nonisolated func curlResolverStart(
    _ resolver: UnsafeMutableRawPointer?, _ reserved: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    // Any result but 0 fails the lookup.
    withTransfer(of: context, otherwise: 1) { $0.willLookUp() ? 0 : 1 }
}

/// Opens the socket of a connection (`CURLOPT_OPENSOCKETFUNCTION`).
nonisolated func curlOpenSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let address else { return ccurl_SOCKET_BAD }
    return withTransfer(of: context, otherwise: ccurl_SOCKET_BAD) { $0.openSocket(address) }
}

/// Prepares the TLS handshake with a proxy or with the peer (`CURLOPT_SSL_CTX_FUNCTION`).
nonisolated func curlTLSContext(
    _ handle: OpaquePointer?, _ tlsContext: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?
) -> CURLcode {
    guard let tlsContext else { return CURLE_ABORTED_BY_CALLBACK }
    return withTransfer(of: context, otherwise: CURLE_ABORTED_BY_CALLBACK) { $0.willSecure(OpaquePointer(tlsContext)) }
}

/// Closes the socket of a connection (`CURLOPT_CLOSESOCKETFUNCTION`).
nonisolated func curlCloseSocket(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t) -> Int32 {
    events(context)?.willCloseSocket(socket)
    return ccurl_close(socket)
}

/// Updates the readiness that a socket is watched for (`CURLMOPT_SOCKETFUNCTION`).
nonisolated func curlSocketChanged(
    _ handle: OpaquePointer?, _ socket: curl_socket_t, _ wanted: Int32, _ context: UnsafeMutableRawPointer?,
    _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    guard let events = events(context) else { return 0 }
    let transfer = withTransfer(of: handle.flatMap(ccurl_context), otherwise: nil) { $0 }
    events.socketChanged(socket, wanted: wanted, transfer: transfer)
    return 0
}

/// Updates the time at which libcurl must be called next (`CURLMOPT_TIMERFUNCTION`).
nonisolated func curlTimerChanged(
    _ multi: OpaquePointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    events(context)?.timerChanged(milliseconds: milliseconds)
    return 0
}
