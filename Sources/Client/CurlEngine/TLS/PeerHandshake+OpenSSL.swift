import CErrandOpenSSL
import ErrandTime
import ErrandTransfer

extension PeerHandshake {
    /// The index under which an OpenSSL context stores its handshake; negative if OpenSSL has no memory.
    private static let place = copenssl_new_context_place(tlsContextIsFreed)

    /// Returns the handshake of a connection; `nil` if the connection is not from this engine.
    static func of(connection: OpaquePointer) -> PeerHandshake? {
        guard let context = SSL_get_SSL_CTX(connection) else { return nil }
        return SSL_CTX_get_ex_data(context, place).map { Unmanaged<PeerHandshake>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Makes OpenSSL call this handshake to verify the peer.
    ///
    /// The context then owns the handshake, because connections and their context outlive the transfer that made them.
    ///
    /// - Returns: `false` if there is no memory; nothing must be sent then.
    func install(in context: OpaquePointer) -> Bool {
        let owned = Unmanaged.passRetained(self)
        guard Self.place >= 0, SSL_CTX_set_ex_data(context, Self.place, owned.toOpaque()) == 1 else {
            owned.release()
            return false
        }
        let argument = owned.toOpaque()
        SSL_CTX_set_cert_verify_callback(context, tlsVerify, argument)
        SSL_CTX_set_cert_cb(context, tlsCertificateIsWanted, argument)
        SSL_CTX_set_info_callback(context, tlsStateChanged)
        return !asksForStaple || copenssl_ask_for_staple(context, tlsJudgeStaple, argument) == 1
    }

    /// Verifies the certificates that the peer presented, and sets the error that OpenSSL reports to the peer.
    func judge(_ verification: OpaquePointer) -> Bool {
        let count = copenssl_presented_count(verification)
        var presented: [[UInt8]] = []
        for index in 0..<max(0, count) {
            guard let certificate = copenssl_presented(verification, index), let der = Self.encoded(certificate) else {
                X509_STORE_CTX_set_error(verification, X509_V_ERR_OUT_OF_MEM)
                return false
            }
            presented.append(der)
        }
        let isAccepted = judge(presented, at: SystemClock.secondsSince1970())
        X509_STORE_CTX_set_error(verification, isAccepted ? X509_V_OK : verificationError)
        return isAccepted
    }

    /// Checks the OCSP response that the peer stapled to its certificate.
    func judgeStaple(over connection: OpaquePointer) -> Bool {
        var bytes: UnsafePointer<UInt8>?
        let count = copenssl_staple(connection, &bytes)
        let response = bytes.map { Array(UnsafeBufferPointer(start: $0, count: max(0, count))) }
        return judgeStaple(response.flatMap { $0.isEmpty ? nil : $0 }, at: SystemClock.secondsSince1970())
    }

    /// Presents the client certificate if it is meant for this peer.
    ///
    /// - Returns: `false` if it cannot be presented; the handshake then ends.
    func showCertificate(over connection: OpaquePointer) -> Bool {
        didAskForCertificate()
        guard let keyPair else { return true }
        guard keyPair.show(over: connection) else {
            cannotShowCertificate()
            return false
        }
        return true
    }

    /// Records the negotiated TLS version and cipher once they are settled.
    func didSettle(over connection: OpaquePointer) {
        guard !hasAgreed, let cipher = SSL_get_current_cipher(connection) else { return }
        let version = String(cString: SSL_get_version(connection))
        didAgree(
            // "TLSv1.3"
            version: version.hasPrefix("TLSv") ? String(version.dropFirst(4)) : version,
            cipher: String(cString: SSL_CIPHER_standard_name(cipher)))
    }

    /// Returns the name of an alert.
    static func words(forAlert alert: UInt8) -> String {
        String(cString: SSL_alert_desc_string_long(Int32(alert)))
    }

    /// The error code that makes OpenSSL send the alert closest to the refusal.
    private var verificationError: Int32 {
        switch refusal?.code {
        case .certificateExpired: X509_V_ERR_CERT_HAS_EXPIRED
        case .certificateNotYetValid: X509_V_ERR_CERT_NOT_YET_VALID
        case .hostMismatch: X509_V_ERR_HOSTNAME_MISMATCH
        case .untrustedRoot: X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY
        case .revoked: X509_V_ERR_CERT_REVOKED
        default: X509_V_ERR_CERT_REJECTED
        }
    }

    private static func encoded(_ certificate: OpaquePointer) -> [UInt8]? {
        let length = i2d_X509(certificate, nil)
        guard length > 0 else { return nil }
        return [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
            var position = buffer.baseAddress
            count = Int(max(0, i2d_X509(certificate, &position)))
        }
    }
}
