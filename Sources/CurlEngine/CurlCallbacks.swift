import CCurl
import Transfer

// What libcurl calls: decode the arguments, one call, encode the answer. Functions, because a closure would inherit the
// isolation of where it stands. All on the loop's thread, inside of a call that the engine makes.

/// Does `body` with the transfer of the handle that a context stands for, or answers `otherwise` when it has none.
///
/// The handle and its transfer outlive the callback, which runs on their behalf: no need to count references to them.
private nonisolated func withTransfer<Answer>(
    of context: UnsafeMutableRawPointer?, otherwise: Answer, _ body: (CurlTransfer) -> Answer
) -> Answer {
    guard let context else { return otherwise }
    return Unmanaged<CurlEasy>.fromOpaque(context)._withUnsafeGuaranteedRef { easy in
        easy.transfer.map(body) ?? otherwise
    }
}

/// The events of a multi handle, which live until it is cleaned up.
private nonisolated func events(_ context: UnsafeMutableRawPointer?) -> MultiEvents? {
    context.map { Unmanaged<MultiEvents>.fromOpaque($0).takeUnretainedValue() }
}

/// `CURLOPT_HEADERFUNCTION`: one line of a head.
nonisolated func curlHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return withTransfer(of: context, otherwise: 0) { $0.receiveHeader(line) ? line.count : 0 }
}

/// `CURLOPT_WRITEFUNCTION`: a piece of content.
nonisolated func curlWrite(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    // Any other number than the piece's own ends the transfer; 0 is an empty piece's own.
    let refusal = piece.isEmpty ? 1 : 0
    return withTransfer(of: context, otherwise: refusal) { transfer in
        switch transfer.receiveContent(piece) {
        case .taken: piece.count
        case .held: ccurl_WRITEFUNC_PAUSE
        case .refused: refusal
        }
    }
}

/// `CURLOPT_READFUNCTION`: room for content of the request.
nonisolated func curlRead(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    let room = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    return withTransfer(of: context, otherwise: ccurl_READFUNC_ABORT) { transfer in
        switch transfer.provideContent(room) {
        case .provided(let count): count
        case .held: ccurl_READFUNC_PAUSE
        case .failed: ccurl_READFUNC_ABORT
        }
    }
}

/// `CURLOPT_SEEKFUNCTION`: the content is to be sent again.
///
/// libcurl only ever asks for its beginning.
nonisolated func curlSeek(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32) -> Int32 {
    guard offset == 0, origin == 0 else { return ccurl_SEEK_FAIL }
    return withTransfer(of: context, otherwise: ccurl_SEEK_FAIL) {
        $0.rewindContent() ? ccurl_SEEK_OK : ccurl_SEEK_FAIL
    }
}

/// `CURLOPT_PREREQFUNCTION`: there is a connection, and the request is about to be sent, the first time or again.
nonisolated func curlPrerequest(
    _ context: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?,
    _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    withTransfer(of: context, otherwise: ccurl_PREREQUEST_ABORT) { transfer in
        transfer.willSend() ? ccurl_PREREQUEST_OK : ccurl_PREREQUEST_ABORT
    }
}

/// `CURLOPT_OPENSOCKETFUNCTION`.
nonisolated func curlOpenSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let address else { return ccurl_SOCKET_BAD }
    return withTransfer(of: context, otherwise: ccurl_SOCKET_BAD) { $0.openSocket(address) }
}

/// `CURLOPT_SSL_CTX_FUNCTION`: a TLS handshake is about to begin, with a proxy or with the peer.
nonisolated func curlTLSContext(
    _ handle: OpaquePointer?, _ tlsContext: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?
) -> CURLcode {
    guard let tlsContext else { return CURLE_ABORTED_BY_CALLBACK }
    return withTransfer(of: context, otherwise: CURLE_ABORTED_BY_CALLBACK) { $0.willSecure(OpaquePointer(tlsContext)) }
}

/// `CURLOPT_CLOSESOCKETFUNCTION`.
nonisolated func curlCloseSocket(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t) -> Int32 {
    events(context)?.willCloseSocket(socket)
    return ccurl_close(socket)
}

/// `CURLMOPT_SOCKETFUNCTION`.
nonisolated func curlSocketChanged(
    _ handle: OpaquePointer?, _ socket: curl_socket_t, _ wanted: Int32, _ context: UnsafeMutableRawPointer?,
    _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    guard let events = events(context) else { return 0 }
    let transfer = withTransfer(of: handle.flatMap(ccurl_context), otherwise: nil) { $0 }
    events.socketChanged(socket, wanted: wanted, transfer: transfer)
    return 0
}

/// `CURLMOPT_TIMERFUNCTION`.
nonisolated func curlTimerChanged(
    _ multi: OpaquePointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    events(context)?.timerChanged(milliseconds: milliseconds)
    return 0
}
