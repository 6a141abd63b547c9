import COpenSSL

// What OpenSSL calls: decode the arguments, one call, encode the answer. Functions, because a closure would inherit the
// isolation of where it stands. All on the loop's thread, inside of a call of libcurl.

/// The handshake that a context stands for, which the connection's `SSL_CTX` keeps alive.
private nonisolated func handshake(_ context: UnsafeMutableRawPointer?) -> PeerHandshake? {
    context.map { Unmanaged<PeerHandshake>.fromOpaque($0).takeUnretainedValue() }
}

/// Does `body` and takes back what it leaves in OpenSSL's queue of errors, which would be taken for the connection's.
private nonisolated func leavingNoErrors<Answer>(_ body: () -> Answer) -> Answer {
    ERR_set_mark()
    defer { ERR_pop_to_mark() }
    return body()
}

/// `SSL_CTX_set_cert_verify_callback`: instead of OpenSSL's own verification; 1 accepts.
nonisolated func tlsVerify(_ verification: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let verification, let handshake = handshake(context) else { return 0 }
    return leavingNoErrors { handshake.judge(verification) } ? 1 : 0
}

/// `SSL_CTX_set_tlsext_status_cb`: with the stapled OCSP response, or without one; 1 accepts.
nonisolated func tlsJudgeStaple(_ connection: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let connection, let handshake = handshake(context) else { return 0 }
    return leavingNoErrors { handshake.judgeStaple(over: connection) } ? 1 : 0
}

/// `SSL_CTX_set_cert_cb`: the peer asks for a certificate; 0 ends the handshake.
nonisolated func tlsCertificateIsWanted(_ connection: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let connection, let handshake = handshake(context) else { return 0 }
    return leavingNoErrors { handshake.showCertificate(over: connection) } ? 1 : 0
}

/// `SSL_CTX_set_info_callback`: an alert has come, or a step of the handshake is over, a negative `value` if it failed.
nonisolated func tlsStateChanged(_ connection: OpaquePointer?, _ event: Int32, _ value: Int32) {
    switch event {
    case copenssl_ALERT_READ:
        // The level in the upper byte, the description in the lower.
        connection.flatMap(PeerHandshake.of)?.didReceive(alert: UInt8(truncatingIfNeeded: value))
    case copenssl_HANDSHAKE_EXIT where value <= 0:
        // libcurl takes the error out of the queue when this call is over. None: more bytes are waited for.
        let code = ERR_peek_error()
        guard code != 0, let words = ERR_reason_error_string(code) else { return }
        connection.flatMap(PeerHandshake.of)?.didFail(String(cString: words))
    default:
        break
    }
}

/// The free function of ``PeerHandshake``'s place in each `SSL_CTX`, ours or not.
nonisolated func tlsContextIsFreed(
    _ context: UnsafeMutableRawPointer?, _ handshake: UnsafeMutableRawPointer?,
    _ data: UnsafeMutablePointer<CRYPTO_EX_DATA>?,
    _ index: Int32, _ argument: Int, _ pointer: UnsafeMutableRawPointer?
) {
    if let handshake { Unmanaged<PeerHandshake>.fromOpaque(handshake).release() }
}
