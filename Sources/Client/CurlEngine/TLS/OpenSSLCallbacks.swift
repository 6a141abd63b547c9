import CErrandOpenSSL

// The callbacks of OpenSSL: each decodes the arguments, makes one call and encodes the result. They are functions
// because a closure would inherit the isolation of its context. All run on the loop's thread, inside a call of libcurl.

/// Returns the handshake in `context`, which the connection's `SSL_CTX` keeps alive.
private nonisolated func handshake(_ context: UnsafeMutableRawPointer?) -> PeerHandshake? {
    context.map { Unmanaged<PeerHandshake>.fromOpaque($0).takeUnretainedValue() }
}

/// Calls `body` and removes the errors it adds to OpenSSL's queue, which would be attributed to the connection.
private nonisolated func leavingNoErrors<Answer>(_ body: () -> Answer) -> Answer {
    ERR_set_mark()
    defer { ERR_pop_to_mark() }
    return body()
}

/// Verifies the peer in place of OpenSSL (`SSL_CTX_set_cert_verify_callback`); returns 1 to accept.
nonisolated func tlsVerify(_ verification: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let verification, let handshake = handshake(context) else { return 0 }
    return leavingNoErrors { handshake.judge(verification) } ? 1 : 0
}

/// Checks the stapled OCSP response or its absence (`SSL_CTX_set_tlsext_status_cb`); returns 1 to accept.
nonisolated func tlsJudgeStaple(_ connection: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let connection, let handshake = handshake(context) else { return 0 }
    return leavingNoErrors { handshake.judgeStaple(over: connection) } ? 1 : 0
}

/// Supplies the client certificate that the peer asks for (`SSL_CTX_set_cert_cb`); returns 0 to end the handshake.
nonisolated func tlsCertificateIsWanted(_ connection: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let connection, let handshake = handshake(context) else { return 0 }
    return leavingNoErrors { handshake.showCertificate(over: connection) } ? 1 : 0
}

/// Records received alerts and completed handshake steps (`SSL_CTX_set_info_callback`); a negative `value` means
/// failure.
nonisolated func tlsStateChanged(_ connection: OpaquePointer?, _ event: Int32, _ value: Int32) {
    switch event {
    case copenssl_ALERT_READ:
        // The upper byte is the level, the lower byte the description.
        connection.flatMap(PeerHandshake.of)?.didReceive(alert: UInt8(truncatingIfNeeded: value))
    case copenssl_HANDSHAKE_EXIT where value <= 0:
        // libcurl removes the error from the queue after this call. Without an error, OpenSSL waits for more bytes.
        let code = ERR_peek_error()
        guard code != 0, let words = ERR_reason_error_string(code) else { return }
        connection.flatMap(PeerHandshake.of)?.didFail(String(cString: words))
    default:
        break
    }
}

/// Releases the ``PeerHandshake`` of an `SSL_CTX`, if it has one.
nonisolated func tlsContextIsFreed(
    _ context: UnsafeMutableRawPointer?, _ handshake: UnsafeMutableRawPointer?,
    _ data: UnsafeMutablePointer<CRYPTO_EX_DATA>?,
    _ index: Int32, _ argument: Int, _ pointer: UnsafeMutableRawPointer?
) {
    if let handshake { Unmanaged<PeerHandshake>.fromOpaque(handshake).release() }
}
